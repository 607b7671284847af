/// The trace form of a path, version 1: one object on one line, keys in this order. A key marked
/// `?` is left out when it holds the value in brackets.
///
///     path      {status, reason, unsatisfiedReason? ["notAvailable"], why,
///                interfaces: [interface], alternatives? [[]],
///                ipv4?: family [none], ipv6?: family [none], dns, uses: [type],
///                expensive, expensiveSource? ["none"], constrained,
///                network?: {id, name? [none], ssid? [none]} [none]}
///     interface {index, name, type, kind? [""], tunnel? [false], underlay? [none],
///                underlayGuessed? [false]}
///     family    {interface: interface, gateways: [address]}
extension Path {
  package func writeJSON(into writer: inout JSONWriter) {
    writer.object { writeJSONMembers(into: &$0) }
  }

  /// The same without its braces, for an object that says more.
  package func writeJSONMembers(into writer: inout JSONWriter) {
    writer.member("status", status.rawValue)
    writer.member("reason", reason.rawValue)
    writer.member("unsatisfiedReason", unsatisfiedReason, unless: .notAvailable) {
      $0.string($1.rawValue)
    }
    writer.member("why", why)
    writer.key("interfaces")
    writer.array(interfaces) { $1.writeJSON(into: &$0) }
    writer.member("alternatives", alternatives, unless: []) { writer, interfaces in
      writer.array(interfaces) { $1.writeJSON(into: &$0) }
    }
    for (name, family) in [("ipv4", ipv4), ("ipv6", ipv6)] {
      guard let family else { continue }
      writer.key(name)
      family.writeJSON(into: &writer)
    }
    writer.member("dns", supportsDNS)
    writer.key("uses")
    writer.array(uses.types) { $0.string($1.description) }
    writer.member("expensive", isExpensive)
    writer.member("expensiveSource", expensiveSource, unless: .none) { $0.string($1.rawValue) }
    writer.member("constrained", isConstrained)
    if let network {
      writer.key("network")
      writer.object {
        $0.member("id", network.id)
        if let name = network.name { $0.member("name", name) }
        if let ssid = network.ssid { $0.member("ssid", ssid) }
      }
    }
  }
}

extension PathInterface {
  package func writeJSON(into writer: inout JSONWriter) {
    writer.object {
      $0.member("index", index)
      $0.member("name", name)
      $0.member("type", type.description)
      $0.member("kind", kind, unless: "") { $0.string($1) }
      $0.flag("tunnel", isTunnel)
      if let underlay { $0.member("underlay", underlay) }
      $0.flag("underlayGuessed", isUnderlayGuessed)
    }
  }
}

extension FamilyPath {
  package func writeJSON(into writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("interface")
      interface.writeJSON(into: &writer)
      writer.key("gateways")
      writer.array(gateways) { $0.address($1) }
    }
  }
}
