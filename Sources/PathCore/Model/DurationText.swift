/// Durations as policies write and people read them.
extension Duration {
  /// Whole nanoseconds, held to the range of Int64.
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, again) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || again ? (seconds < 0 ? .min : .max) : sum
  }

  /// The shortest exact form in the policy language: `1h30m`, `2s`, `250ms`, `0s`.
  package var shortText: String {
    var rest = nanoseconds
    guard rest > 0 else {
      return rest == 0 ? "0s" : "-" + Duration.nanoseconds(-(rest + 1)).shortText
    }
    var text = ""
    for (unit, size) in Self.units where rest >= size {
      text += "\(rest / size)\(unit)"
      rest %= size
    }
    return text
  }

  private static let units: [(String, Int64)] = [
    ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000),
    ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000), ("ns", 1),
  ]
}
