/// The stored form of a policy's memory: a form number, a checksum, and one map in the encoding of
/// `PlainData`. What a policy made (state, values) is kept as it is, bytes within a text.
///
/// The checksum finds what a disk did: a database looks after the order of its pages, not after
/// what is in them. Fields that a newer Netvane added are passed over, those that it left out are
/// as in a new memory.
extension PolicyMemory {
  /// Far more than policies keep: a state is held to 64 KiB, values and alerts are counted.
  package static let bytesMax = 4 << 20

  private static let form: UInt8 = 1
  private static let headerSize = 9

  package var bytes: [UInt8] {
    var writer = MapWriter()
    if let state { writer.data("state", state) }
    if version != 0 { writer.integer("version", version) }
    if wasStarted { writer.bool("started", true) }
    writer.map("timers", timers) { writer, timer in
      writer.integer("at", timer.deadline.nanoseconds)
      if let monitor = timer.untilChange { writer.text("until", monitor) }
      if timer.acrossReboot { writer.bool("reboot", true) }
    }
    writer.map("every", recurring) { writer, turn in
      writer.integer("at", turn.deadline.nanoseconds)
      writer.integer("period", turn.period.nanoseconds)
    }
    writer.map("alerts", alerts) { $0.alert($1) }
    writer.dataMap("published", published)
    writer.dataMap("retries", retries)
    writer.dataMap("limits", limits)
    return Self.seal(writer.finish())
  }

  /// Nil for bytes that are not exactly what some version of Netvane writes.
  package init?(bytes: [UInt8]) {
    guard let body = Self.unseal(bytes),
      let value = PlainReader.decode(PlainData(bytes: body)), let fields = MapReader(value)
    else { return nil }
    self.init()
    do throws(Damage) {
      state = try fields.data("state")
      version = try fields.integer("version") ?? 0
      wasStarted = try fields.bool("started")
      timers = try fields.map("timers") { fields throws(Damage) in
        Timer(
          deadline: try fields.time("at"), untilChange: try fields.text("until"),
          acrossReboot: try fields.bool("reboot"))
      }
      recurring = try fields.map("every") { fields throws(Damage) in
        let turn = Turn(deadline: try fields.time("at"), period: try fields.time("period"))
        guard turn.period > .zero else { throw Damage() }
        return turn
      }
      alerts = try fields.map("alerts") { fields throws(Damage) in try fields.alert() }
      for (key, alert) in alerts where alert.content.key != key { throw Damage() }
      published = try fields.dataMap("published")
      retries = try fields.dataMap("retries")
      limits = try fields.dataMap("limits")
    } catch {
      return nil
    }
  }

  // MARK: The seal

  /// Puts the form and the checksum before a body.
  package static func seal(_ body: [UInt8]) -> [UInt8] {
    var bytes = [form]
    bytes.reserveCapacity(headerSize + body.count)
    let sum = checksum(body[...])
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: sum >> UInt64(shift)))
    }
    bytes.append(contentsOf: body)
    return bytes
  }

  private static func unseal(_ bytes: [UInt8]) -> [UInt8]? {
    guard (headerSize...bytesMax).contains(bytes.count), bytes[0] == form else { return nil }
    var sum: UInt64 = 0
    for index in 0..<8 { sum |= UInt64(bytes[1 + index]) << UInt64(8 * index) }
    let body = bytes[headerSize...]
    return checksum(body) == sum ? Array(body) : nil
  }

  /// FNV-1a: each step is one-to-one, so a change of a single byte never goes unseen.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var sum: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return sum
  }
}

/// Stored bytes that no Netvane wrote.
struct Damage: Error {}
