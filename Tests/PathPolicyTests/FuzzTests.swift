import PathTestKit
import Testing

@testable import PathCore
@testable import PathPolicy

/// Texts and bytes that nobody meant: each is taken or refused with its place, and nothing traps.
struct FuzzTests {
  /// Loads it, and lets a network change under it if it loads.
  func tryOut(_ source: [UInt8], _ seed: UInt64) {
    let script = PolicyScript(name: "p", file: "p.lua", source: source)
    let settings = PolicySettings(loadFuel: 200_000, callFuel: 100_000, deadline: nil)
    let simulator = Simulator()
    simulator.load([script]) { _ in settings }
    simulator.feed(.snapshot(.online()))
    simulator.feed(.snapshot(.offline()))
    simulator.advance(.seconds(5))
    for entry in simulator.log {
      switch entry.order {
      case .policy(_, .rejected, let detail):
        #expect(detail.hasPrefix("p.lua:"), "seed \(seed): \(detail)")
        #expect(!detail.hasPrefix("p.lua: "), "seed \(seed): \(detail)")
      case .fault(let fault):
        #expect(fault.file == "p.lua" && fault.line > 0, "seed \(seed): \(fault.located)")
      default: break
      }
    }
  }

  @Test(arguments: 0..<100) func `random bytes are no policy`(_ seed: UInt64) {
    var dice = Dice(seed)
    let alphabet = Array("return{}=function end api 1\"'[[]]--\n.,:()+-*/%^#&~|<>;\\\0\u{1B}é".utf8)
    let bytes = (0..<dice.roll(400)).map { _ in
      seed % 2 == 0 ? UInt8(dice.roll(256)) : alphabet[dice.roll(alphabet.count)]
    }
    tryOut(bytes, seed)
  }

  @Test(arguments: 0..<300) func `a spoiled policy loads or is refused by its line`(
    _ seed: UInt64
  ) throws {
    var dice = Dice(seed)
    let directory = try PolicyDirectory(reading: Repository.path("policies"))
    var bytes = directory.scripts[dice.roll(directory.scripts.count)].source
    let words = [
      "nil", "ctx", "ev", "0/0", "{}", "\"\"", "function() end", "return", "end", "1e999", "-1",
      "ctx.state", "policy", "true", "'x'", "..", "error", "pcall", "while true do end",
    ]
    for _ in 0...dice.roll(4) {
      let place = dice.roll(bytes.count)
      let end = min(bytes.count, place + dice.roll(12))
      switch dice.roll(5) {
      case 0: bytes.removeSubrange(place..<end)
      case 1: bytes[place] = UInt8(dice.roll(256))
      case 2: bytes.insert(contentsOf: Array(" \(words[dice.roll(words.count)]) ".utf8), at: place)
      case 3: bytes.removeSubrange(place...)
      default: bytes.insert(contentsOf: bytes[place..<end], at: dice.roll(bytes.count))
      }
      if bytes.isEmpty { break }
    }
    tryOut(bytes, seed)
  }

  @Test func `a policy cut at any byte is refused by its line or stands`() throws {
    let directory = try PolicyDirectory(reading: Repository.path("policies"))
    let source = try #require(directory.scripts.last).source
    for count in stride(from: 0, to: source.count, by: 7) {
      tryOut(Array(source.prefix(count)), UInt64(count))
    }
  }

  // MARK: Bytes

  @Test(arguments: 0..<2000) func `bytes that no sandbox wrote are refused or read`(_ seed: UInt64)
  {
    var dice = Dice(seed)
    var bytes = (0..<dice.roll(60)).map { _ in UInt8(dice.roll(dice.roll(3) == 0 ? 256 : 9)) }
    if seed % 3 == 0 { bytes = sample(&dice) }
    if !bytes.isEmpty { bytes[dice.roll(bytes.count)] = UInt8(dice.roll(256)) }
    let data = PlainData(bytes: bytes)
    if let value = PlainReader.decode(data) {
      _ = PlainEncoder.encode(value)
      _ = (value.text, value.integer, value.bool, value.elements, value["settle"])
    }
    bytes.withUnsafeBytes {
      _ = OutcomeDecoder.decode($0, fuelUsed: 0)
      _ = OutcomeDecoder.value($0)
    }
    _ = DeclarationDecoder.decode(data, "p")
  }

  /// A decision or a declaration, with numbers at the edges.
  private func sample(_ dice: inout Dice) -> [UInt8] {
    let numbers: [Int64] = [0, 1, -1, .min, .max, 1_000_000_000]
    var writer = PlainWriter()
    if dice.roll(2) == 0 {
      writer.array(3)
      if dice.roll(2) == 0 { writer.null() } else { writer.integer(numbers[dice.roll(6)]) }
      writer.null()
      writer.array(3)
      for word in ["raise", "timer", "publish"] {
        let count = word == "raise" ? 8 : word == "timer" ? 6 : 3
        writer.array(count)
        writer.text(word)
        for _ in 1..<count {
          switch dice.roll(3) {
          case 0: writer.text("a")
          case 1: writer.bool(dice.roll(2) == 0)
          default: writer.integer(numbers[dice.roll(6)])
          }
        }
      }
      return writer.bytes
    }
    let map = writer.beginMap()
    writer.field("settle", numbers[dice.roll(numbers.count)])
    writer.text("monitors")
    writer.array(1)
    let monitor = writer.beginMap()
    writer.field("name", "a")
    writer.field("settle", numbers[dice.roll(numbers.count)])
    writer.field("settle_max", numbers[dice.roll(numbers.count)])
    writer.endMap(monitor, count: 3)
    writer.text("every")
    writer.array(1)
    writer.array(2)
    writer.text("t")
    writer.integer(numbers[dice.roll(numbers.count)])
    writer.endMap(map, count: 3)
    return writer.bytes
  }

  @Test(arguments: 0..<200) func `data goes through Lua and comes back as it was`(
    _ seed: UInt64
  ) throws {
    var dice = Dice(seed)
    let value = random(&dice, depth: 0)
    let data = try #require(PlainEncoder.encode(.map([PlainPair(key: .bytes([97]), value: value)])))
    let text = """
      return { api = 1, on_path = function(ctx)
        ctx.state.copy = ctx.config.a ctx.publish("a", { ctx.config.a }) end,
        config = { a = \(value.kind == "table" ? "{}" : value.kind == "string" ? "'x'"
          : value.kind == "number" ? "1" : "true") } }
      """
    let rig = Rig(text, settings: PolicySettings(config: data, deadline: nil))
    rig.online()
    #expect(rig.rejections == [] && rig.faults == [], "seed \(seed)")
    #expect(rig.value("a")?.elements?.first == value, "seed \(seed)")
    #expect(PlainReader.decode(data)?["a"] == value)
  }

  private func random(_ dice: inout Dice, depth: Int) -> PlainValue {
    switch dice.roll(depth > 3 ? 4 : 6) {
    case 0: .bool(dice.roll(2) == 0)
    case 1: .integer([0, 1, -1, .min, .max, 9_007_199_254_740_993][dice.roll(6)])
    case 2: .number([0.5, 1, -0.0, .greatestFiniteMagnitude, .leastNonzeroMagnitude][dice.roll(5)])
    case 3: .bytes((0..<dice.roll(20)).map { _ in UInt8(dice.roll(256)) })
    case 4: .array((0...dice.roll(3)).map { _ in random(&dice, depth: depth + 1) })
    default:
      .map(
        (0..<dice.roll(4)).map { index in
          PlainPair(
            key: .bytes(Array("k\(index)".utf8)), value: random(&dice, depth: depth + 1))
        })
    }
  }
}
