/// One entry of a list of hosts that may be spoken to: a host, all below a domain (`*.example.com`,
/// not the domain itself), or every host (`*`).
package enum HostPattern: Hashable, Sendable {
  case any
  case below(String)
  case host(String)

  package init(_ text: String) throws(ActionRefusal) {
    if text == "*" {
      self = .any
    } else if text.hasPrefix("*.") {
      let domain = try Self.canonical(String(text.dropFirst(2)))
      guard IPAddress(domain) == nil else {
        throw ActionRefusal("\(LineText.quoted(text)): nothing lies below an address")
      }
      self = .below(domain)
    } else {
      self = .host(try Self.canonical(text))
    }
  }

  /// `host` is that of an `ActionURL`.
  package func matches(_ host: String) -> Bool {
    switch self {
    case .any: true
    case .below(let domain): host.hasSuffix("." + domain)
    case .host(let own): host == own
    }
  }

  /// A host in the form that is compared: a name in lower case, or an address in its short form.
  static func canonical(_ text: String) throws(ActionRefusal) -> String {
    guard !text.isEmpty else { throw ActionRefusal("there is no host") }
    guard text.utf8.count <= 253 else { throw ActionRefusal("the host has more than 253 bytes") }
    let shown = LineText.quoted(text)
    if text.hasPrefix("[") || text.contains(":") {
      let inner = text.hasPrefix("[") ? String(text.dropFirst().dropLast()) : text
      guard text.hasPrefix("[") == text.hasSuffix("]"), inner.contains(":"),
        let address = IPAddress(inner)
      else {
        throw ActionRefusal("\(shown) is no host: a name, an IPv4 or an [IPv6] address")
      }
      return address.description
    }
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw ActionRefusal("\(shown) holds letters beyond ASCII; write the host in its xn-- form")
    }
    let name = text.lowercased()
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.allSatisfy(isLabel), let last = labels.last else {
      throw ActionRefusal(
        "\(shown) is no host: a name has letters, digits, '-' and '.', no port and no path")
    }
    // What looks like a number is read as an address by some, in many ways.
    if last.utf8.allSatisfy({ (48...57).contains($0) }) || last.hasPrefix("0x") {
      guard let address = IPAddress(name) else {
        throw ActionRefusal("\(shown) looks like an address; write all four numbers of it")
      }
      return address.description
    }
    return name
  }

  /// RFC 1123, section 2.1.
  private static func isLabel(_ label: Substring) -> Bool {
    (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
      && label.utf8.allSatisfy { byte in
        switch byte {
        case 45, 48...57, 97...122: true
        default: false
        }
      }
  }
}

extension HostPattern: CustomStringConvertible {
  package var description: String {
    switch self {
    case .any: "*"
    case .below(let domain): "*.\(domain)"
    case .host(let host): host
    }
  }
}
