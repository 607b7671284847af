/// What a policy may be called: its name is that of its file, and stands in messages and traces.
package enum PolicyName {
  package static let bytesMax = 64

  /// Why a file of this name would be no policy; nil when it would be one.
  package static func problem(_ name: String) -> String? {
    if name.isEmpty { return "a policy needs a name" }
    if !name.utf8.allSatisfy(isGood) {
      return "a policy's name has letters, digits, '-', '_' and '.' only"
    }
    if name.utf8.count > bytesMax {
      return "a policy's name has at most \(bytesMax) letters, digits, '-', '_' and '.'"
    }
    if name.hasPrefix(".") {
      return "a policy's name does not begin with '.': such files are hidden"
    }
    if name.hasSuffix("_test") {
      return "a policy's name does not end in '_test': such files hold tests"
    }
    return nil
  }

  /// The good name that is nearest to a bad one; nil when there is none near.
  package static func nearest(to name: String) -> String? {
    var near = ""
    for byte in name.utf8.prefix(bytesMax) {
      let next = isGood(byte) ? Character(UnicodeScalar(byte)) : "-"
      if next != "-" || near.last != "-" { near.append(next) }
    }
    while near.hasSuffix("_test") || near.hasSuffix(".lua") {
      near.removeLast(near.hasSuffix("_test") ? 5 : 4)
    }
    while let first = near.first, first == "." || first == "-" { near.removeFirst() }
    while near.hasSuffix("-") { near.removeLast() }
    return near.isEmpty || problem(near) != nil ? nil : near
  }

  private static func isGood(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, 45, 46, 95: true
    default: false
    }
  }
}
