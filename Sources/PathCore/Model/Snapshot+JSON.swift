/// The trace form of a snapshot, version 1: one object on one line, keys in this order. A key
/// marked `?` is left out when it holds the value in brackets.
///
///     snapshot  {interfaces: [interface], ipv4: lookup, ipv6: lookup,
///                nameServers?: [{address, zone? [""], lookup? [not asked]}] [[]],
///                gatewayHardware?: [{interface, gateway, address}] [[]],
///                ignoredLinks? [0], userID? [0], unavailable? [none]}
///     interface {index, name, altnames? [[]], type, kind? [""], flags: [word], operstate,
///                master? [0], lower? [0], underlay? "always" | "unknown" | index [not needed],
///                tap? [false], onDemand? [false], physical? [false],
///                radioBlocked? [false], acceptsUniqueLocal? [false],
///                cost?: {expensive, source, constrained} [free],
///                addresses: [{address: "address/length", scope? [0], pending? [false]}],
///                bridgePorts?: [index] [none], gatewayRoute? [false], ssid? [none],
///                ipv4?: lookup, ipv6?: lookup [not asked]}
///     lookup    {route: {hops: [{interface, gateway? [none], dead? [false]}],
///                        table, metric, prefix, source? [none]}}
///               | {refused: "unreachable" | "blackhole" | "prohibit"} | "noRoute" | {failed: text}
///
/// Gateways are text, with `%index` when they are link-local. Types, operstates and flags are the
/// words of the types' descriptions.
extension Snapshot {
  package func writeJSON(into writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("interfaces")
      writer.array(interfaces) { $1.writeJSON(into: &$0) }
      writer.key("ipv4")
      ipv4.writeJSON(into: &writer)
      writer.key("ipv6")
      ipv6.writeJSON(into: &writer)
      writer.member("nameServers", nameServers, unless: []) { writer, servers in
        writer.array(servers) { writer, server in
          writer.object {
            $0.key("address")
            $0.address(server.address)
            $0.member("zone", server.zone, unless: "") { $0.string($1) }
            if let lookup = server.lookup {
              $0.key("lookup")
              lookup.writeJSON(into: &$0)
            }
          }
        }
      }
      writer.member("gatewayHardware", gatewayHardware, unless: []) { writer, entries in
        writer.array(entries) { writer, entry in
          writer.object {
            $0.member("interface", entry.interface)
            $0.key("gateway")
            $0.address(entry.gateway)
            $0.member("address", entry.address)
          }
        }
      }
      writer.member("ignoredLinks", ignoredLinks, unless: 0) { $0.integer($1) }
      writer.member("userID", userID, unless: 0) { $0.integer($1) }
      if let unavailable { writer.member("unavailable", unavailable) }
    }
  }
}

extension Interface {
  package func writeJSON(into writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("index", index)
      writer.member("name", name)
      writer.member("altnames", alternativeNames, unless: []) { writer, names in
        writer.array(names) { $0.string($1) }
      }
      writer.member("type", type.description)
      writer.member("kind", kind, unless: "") { $0.string($1) }
      writer.key("flags")
      writer.array(LinkFlags.words) { if flags.contains($1.flag) { $0.string($1.word) } }
      writer.member("operstate", operationalState.description)
      writer.member("master", master, unless: 0) { $0.integer($1) }
      writer.member("lower", lower, unless: 0) { $0.integer($1) }
      switch underlay {
      case .notNeeded: break
      case .always: writer.member("underlay", "always")
      case .unknown: writer.member("underlay", "unknown")
      case .link(let index): writer.member("underlay", index)
      }
      writer.flag("tap", isTap)
      writer.flag("onDemand", isOnDemand)
      writer.flag("physical", isPhysical)
      writer.flag("radioBlocked", isRadioBlocked)
      writer.flag("acceptsUniqueLocal", acceptsUniqueLocal)
      writeOptional(into: &writer)
    }
  }

  private func writeOptional(into writer: inout JSONWriter) {
    writer.member("cost", cost, unless: LinkCost()) { writer, cost in
      writer.object {
        $0.member("expensive", cost.isExpensive)
        $0.member("source", cost.source.rawValue)
        $0.member("constrained", cost.isConstrained)
      }
    }
    writer.key("addresses")
    writer.array(addresses) { writer, entry in
      writer.object {
        $0.member("address", "\(entry.address)/\(entry.prefixLength)")
        $0.member("scope", entry.address.scope, unless: 0) { $0.integer($1) }
        $0.flag("pending", entry.isPending)
      }
    }
    if let bridgePorts {
      writer.key("bridgePorts")
      writer.array(bridgePorts) { $0.integer($1) }
    }
    writer.flag("gatewayRoute", hasGatewayRoute)
    if let ssid { writer.member("ssid", ssid) }
    if let ipv4 {
      writer.key("ipv4")
      ipv4.writeJSON(into: &writer)
    }
    if let ipv6 {
      writer.key("ipv6")
      ipv6.writeJSON(into: &writer)
    }
  }
}

extension LinkFlags {
  /// Each flag with its word in traces and explanations.
  package static let words: [(flag: LinkFlags, word: String)] = [
    (.up, "up"), (.running, "running"), (.lowerUp, "lowerUp"), (.loopback, "loopback"),
    (.pointToPoint, "pointToPoint"),
  ]
}

extension Lookup {
  package func writeJSON(into writer: inout JSONWriter) {
    switch self {
    case .noRoute: writer.string("noRoute")
    case .refused(let refusal):
      writer.object { $0.member("refused", refusal.rawValue) }
    case .failed(let text):
      writer.object { $0.member("failed", text) }
    case .route(let answer):
      writer.object { writer in
        writer.key("route")
        writer.object { writer in
          writer.key("hops")
          writer.array(answer.hops) { writer, hop in
            writer.object {
              $0.member("interface", hop.interface)
              if let gateway = hop.gateway {
                $0.key("gateway")
                $0.address(gateway)
              }
              $0.flag("dead", hop.isDead)
            }
          }
          writer.member("table", answer.table)
          writer.member("metric", answer.metric)
          writer.member("prefix", answer.prefixLength)
          if let source = answer.source {
            writer.key("source")
            writer.address(source)
          }
        }
      }
    }
  }
}
