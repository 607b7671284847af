import PathCore

/// Durations as tests write them: those of policies, and years, since a test may let many pass.
enum TestDuration {
  /// More than anything lives, and far from what Int64 nanoseconds hold.
  static let longest = Duration.seconds(100 * 365 * 86_400)

  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("y", 365 * 86_400_000_000_000), ("d", 86_400_000_000_000), ("h", 3_600_000_000_000),
    ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000),
  ]

  /// "3/1h": so many in any such stretch of time.
  static func readLimit(_ text: String) -> (count: Int, per: Duration)? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.count <= 9,
      parts[0].utf8.allSatisfy({ (48...57).contains($0) }), let count = Int(parts[0]),
      let per = read(String(parts[1]))
    else { return nil }
    return (count, per)
  }

  /// Nil for what is no duration or longer than the longest.
  static func read(_ text: String) -> Duration? {
    var rest = Substring(text)
    var total: Int64 = 0
    var last = Int64.max
    guard !text.isEmpty, text.utf8.count <= 64 else { return nil }
    while !rest.isEmpty {
      let whole = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(whole.count)
      var fraction = Substring()
      if rest.first == "." {
        fraction = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
        guard !fraction.isEmpty else { return nil }
        rest = rest.dropFirst(fraction.count + 1)
      }
      let unit = rest.prefix { $0.isASCII && $0.isLowercase }
      rest = rest.dropFirst(unit.count)
      guard let size = units.first(where: { $0.name == unit })?.nanoseconds, size < last,
        whole.count <= 9, fraction.count <= 9, let number = Int64(whole)
      else { return nil }
      last = size
      let (product, isOver) = number.multipliedReportingOverflow(by: size)
      guard !isOver, product <= longest.nanoseconds - total else { return nil }
      total += product
      var part = size
      for digit in fraction {
        part /= 10
        total += Int64(digit.wholeNumberValue ?? 0) * part
      }
    }
    return total <= longest.nanoseconds ? .nanoseconds(total) : nil
  }
}
