/// The text forms: dotted quad, and RFC 5952 for IPv6. A scope is not part of the text.
extension IPAddress: CustomStringConvertible {
  package var description: String {
    if family == .ipv4 {
      return "\(low >> 24 & 255).\(low >> 16 & 255).\(low >> 8 & 255).\(low & 255)"
    }
    let groups = groups
    let (start, count) = Self.longestZeroRun(groups)
    var text = ""
    var index = 0
    while index < 8 {
      if count > 1, index == start {
        text += index == 0 ? "::" : ":"
        index += count
        continue
      }
      text += String(groups[index], radix: 16)
      if index < 7 { text += ":" }
      index += 1
    }
    return text
  }

  /// Reads a numeric address. Nothing but the canonical and usual forms is taken: no octal, no
  /// missing parts, no zone (the caller splits `%zone` off).
  package init?(_ text: some StringProtocol) {
    if text.contains(":") {
      guard let groups = Self.parseGroups(text) else { return nil }
      var high: UInt64 = 0
      var low: UInt64 = 0
      for index in 0..<4 { high = high << 16 | UInt64(groups[index]) }
      for index in 4..<8 { low = low << 16 | UInt64(groups[index]) }
      self.init(ipv6High: high, low: low)
    } else {
      guard let value = Self.parseQuad(text) else { return nil }
      self.init(ipv4: value)
    }
  }

  private var groups: [UInt16] {
    (0..<8).map { index in
      let half = index < 4 ? high : low
      return UInt16(truncatingIfNeeded: half >> UInt64(48 - (index & 3) * 16))
    }
  }

  private static func longestZeroRun(_ groups: [UInt16]) -> (start: Int, count: Int) {
    var best = (start: 0, count: 0)
    var index = 0
    while index < 8 {
      var end = index
      while end < 8, groups[end] == 0 { end += 1 }
      if end - index > best.count { best = (index, end - index) }
      index = max(end, index + 1)
    }
    return best
  }

  private static func parseQuad(_ text: some StringProtocol) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var value: UInt32 = 0
    for part in parts {
      guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (48...57).contains($0) }),
        part.utf8.count == 1 || part.utf8.first != 48, let byte = UInt8(part)
      else { return nil }
      value = value << 8 | UInt32(byte)
    }
    return value
  }

  private static func parseGroups(_ text: some StringProtocol) -> [UInt16]? {
    let string = String(text)
    guard string.utf8.count <= 45 else { return nil }
    var head: [UInt16] = []
    var tail: [UInt16] = []
    var sawGap = false
    var rest = Substring(string)
    if rest.hasPrefix("::") {
      sawGap = true
      rest = rest.dropFirst(2)
    }
    while !rest.isEmpty {
      let end = rest.firstIndex(of: ":") ?? rest.endIndex
      let part = rest[..<end]
      if part.contains(".") {
        guard end == rest.endIndex, let quad = parseQuad(part) else { return nil }
        let pair = [UInt16(quad >> 16), UInt16(quad & 0xFFFF)]
        if sawGap { tail += pair } else { head += pair }
        break
      }
      guard (1...4).contains(part.utf8.count), part.first != "+", part.first != "-",
        let group = UInt16(part, radix: 16)
      else { return nil }
      if sawGap { tail.append(group) } else { head.append(group) }
      if end == rest.endIndex { break }
      rest = rest[rest.index(after: end)...]
      if rest.hasPrefix(":") {
        if sawGap { return nil }
        sawGap = true
        rest = rest.dropFirst()
      } else if rest.isEmpty {
        return nil
      }
    }
    let count = head.count + tail.count
    guard sawGap ? count <= 7 : count == 8 else { return nil }
    return head + Array(repeating: 0, count: 8 - count) + tail
  }
}
