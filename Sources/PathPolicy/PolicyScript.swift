package import PathCore

/// The text of one policy, and of the modules it may `require`.
package struct PolicyScript: Hashable, Sendable {
  package var name: String
  /// As shown in messages: relative to the policy directory.
  package var file: String
  package var source: [UInt8]
  /// Sorted by name; shared by all policies of a directory.
  package var modules: [PolicyModule]

  package init(name: String, file: String, source: [UInt8], modules: [PolicyModule] = []) {
    self.name = name
    self.file = file
    self.source = source
    self.modules = modules
  }
}

extension PolicyScript {
  /// Tells this text and its modules from others; not a defence against anybody.
  package var hash: String {
    var hash = ContentHash()
    hash.add(source)
    for module in modules {
      hash.add(Array(module.name.utf8))
      hash.add(module.source)
    }
    return hash.text
  }
}

/// FNV-1a with 64 bits, over pieces whose lengths count too.
struct ContentHash {
  private var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ bytes: [UInt8]) {
    for byte in bytes { mix(byte) }
    for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(bytes.count >> shift & 255)) }
  }

  /// Sixteen hexadecimal digits.
  var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private mutating func mix(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}

/// A file of `lib/`.
package struct PolicyModule: Hashable, Sendable {
  package var name: String
  package var file: String
  package var source: [UInt8]

  package init(name: String, file: String, source: [UInt8]) {
    self.name = name
    self.file = file
    self.source = source
  }
}

/// What a policy may use, and what the operator set for it.
package struct PolicySettings: Hashable, Sendable {
  /// Values over the policy's own `config`, encoded.
  package var config: PlainData
  /// Where they stand, for messages: `config.lua: policies["x"]`.
  package var place: String
  package var loadFuel: Int64
  package var callFuel: Int64
  /// Wall time of one call; nil where only fuel counts, as in tests and replays.
  package var deadline: Duration?
  /// Notes which lines of the policy run; it costs time.
  package var notesLines = false

  package init(
    config: PlainData = .emptyMap, place: String = "config", loadFuel: Int64 = 5_000_000,
    callFuel: Int64 = 1_000_000, deadline: Duration? = .milliseconds(250)
  ) {
    self.config = config
    self.place = place
    self.loadFuel = loadFuel
    self.callFuel = callFuel
    self.deadline = deadline
  }
}
