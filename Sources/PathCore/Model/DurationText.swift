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
    unsafe String(unsafeUninitializedCapacity: Self.shortTextMost) {
      unsafe writeShortText(into: $0)
    }
  }

  /// For people who wait for it: whole seconds, rounded up, and never less than none.
  package var wholeSeconds: String {
    let (seconds, rest) = components
    return Duration.seconds(max(0, seconds + (rest > 0 ? 1 : 0))).shortText
  }

  /// A sign, six digits of days and at most three of each of the other six units.
  static let shortTextMost = 48

  /// Writes the shortest exact form; how many bytes.
  func writeShortText(into bytes: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var count = 0
    func put(_ byte: UInt8) {
      unsafe bytes[count] = byte
      count += 1
    }
    var rest = nanoseconds
    if rest < 0 {
      put(UInt8(ascii: "-"))
      rest = rest == .min ? .max : -rest
    }
    func put(_ size: Int64, _ unit: UInt8, _ second: UInt8? = nil) {
      guard rest >= size else { return }
      let number = rest / size
      rest %= size
      var divisor: Int64 = 1
      while divisor <= number / 10 { divisor *= 10 }
      while divisor > 0 {
        put(48 + UInt8(truncatingIfNeeded: number / divisor % 10))
        divisor /= 10
      }
      put(unit)
      if let second { put(second) }
    }
    let second = UInt8(ascii: "s")
    if rest == 0 {
      put(48)
      put(second)
    }
    put(86_400_000_000_000, UInt8(ascii: "d"))
    put(3_600_000_000_000, UInt8(ascii: "h"))
    put(60_000_000_000, UInt8(ascii: "m"))
    put(1_000_000_000, second)
    put(1_000_000, UInt8(ascii: "m"), second)
    put(1000, UInt8(ascii: "u"), second)
    put(1, UInt8(ascii: "n"), second)
    return count
  }
}
