/// The clocks at one event, handed to the core by whoever runs it. The core reads none itself.
package struct Moment: Hashable, Sendable {
  /// CLOCK_MONOTONIC: stands still while the machine sleeps.
  package var awake: Duration
  /// CLOCK_BOOTTIME: runs on while the machine sleeps.
  package var boot: Duration
  package var wall: WallTime

  package init(awake: Duration, boot: Duration, wall: WallTime = WallTime()) {
    self.awake = awake
    self.boot = boot
    self.wall = wall
  }
}

/// The operator's clock on the wall: shown to people and policies, never used to measure.
package struct WallTime: Hashable, Sendable {
  /// Nanoseconds since 1970-01-01T00:00:00Z.
  package var unixNanoseconds: Int64
  /// East of UTC.
  package var offsetSeconds: Int32
  /// The zone's abbreviation, such as CET.
  package var zone: String

  package init(unixNanoseconds: Int64 = 0, offsetSeconds: Int32 = 0, zone: String = "UTC") {
    self.unixNanoseconds = unixNanoseconds
    self.offsetSeconds = offsetSeconds
    self.zone = zone
  }

  /// The civil date and time of day at this offset (proleptic Gregorian calendar).
  package var civil: CivilTime { CivilTime(self) }

  /// RFC 3339 with milliseconds.
  package var rfc3339: String {
    unsafe String(unsafeUninitializedCapacity: Self.rfc3339Most) {
      unsafe writeRFC3339(into: $0)
    }
  }

  static let rfc3339Most = 32

  /// Writes RFC 3339 with milliseconds; how many bytes. Every event carries it, so the digits are
  /// written straight. Years that it has no digits for are written as the nearest that it has.
  func writeRFC3339(into bytes: UnsafeMutableBufferPointer<UInt8>) -> Int {
    let civil = civil
    var count = 0
    func put(_ byte: UInt8) {
      unsafe bytes[count] = byte
      count += 1
    }
    func put(_ number: Int, digits: Int) {
      var divisor = digits == 4 ? 1000 : digits == 3 ? 100 : 10
      while divisor > 0 {
        put(48 + UInt8(truncatingIfNeeded: number / divisor % 10))
        divisor /= 10
      }
    }
    put(min(max(civil.year, 0), 9999), digits: 4)
    put(UInt8(ascii: "-"))
    put(civil.month, digits: 2)
    put(UInt8(ascii: "-"))
    put(civil.day, digits: 2)
    put(UInt8(ascii: "T"))
    put(civil.hour, digits: 2)
    put(UInt8(ascii: ":"))
    put(civil.minute, digits: 2)
    put(UInt8(ascii: ":"))
    put(civil.second, digits: 2)
    put(UInt8(ascii: "."))
    put(civil.nanosecond / 1_000_000, digits: 3)
    if offsetSeconds == 0 {
      put(UInt8(ascii: "Z"))
    } else {
      let minutes = min(Int(offsetSeconds.magnitude) / 60, 99 * 60 + 59)
      put(offsetSeconds < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
      put(minutes / 60, digits: 2)
      put(UInt8(ascii: ":"))
      put(minutes % 60, digits: 2)
    }
    return count
  }

  fileprivate static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// A wall time taken apart.
package struct CivilTime: Hashable, Sendable {
  package var year: Int
  package var month: Int
  package var day: Int
  package var hour: Int
  package var minute: Int
  package var second: Int
  package var nanosecond: Int
  /// 1 is Monday, 7 is Sunday (ISO 8601).
  package var weekday: Int

  package var date: String {
    let padded = String(year).count < 4 ? String(("000" + String(year)).suffix(4)) : String(year)
    return "\(padded)-\(WallTime.two(month))-\(WallTime.two(day))"
  }

  init(_ time: WallTime) {
    let billion: Int64 = 1_000_000_000
    let (quotient, rest) = Self.floorDivide(time.unixNanoseconds, billion)
    let (dayNumber, secondOfDay) = Self.floorDivide(quotient + Int64(time.offsetSeconds), 86_400)
    nanosecond = Int(rest)
    hour = Int(secondOfDay) / 3600
    minute = Int(secondOfDay) / 60 % 60
    second = Int(secondOfDay) % 60
    weekday = Int(Self.floorDivide(dayNumber + 3, 7).remainder) + 1
    // Days since 0000-03-01, in 400-year eras: the calendar repeats and the leap day comes last.
    let (era, dayOfEra) = Self.floorDivide(dayNumber + 719_468, 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    day = Int(dayOfYear - (153 * shifted + 2) / 5 + 1)
    month = Int(shifted < 10 ? shifted + 3 : shifted - 9)
    year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
  }

  private static func floorDivide(_ value: Int64, _ by: Int64) -> (Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: by)
    return remainder < 0 ? (quotient - 1, remainder + by) : (quotient, remainder)
  }
}
