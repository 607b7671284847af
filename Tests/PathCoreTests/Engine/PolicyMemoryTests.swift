import PathCore
import PathTestKit
import Testing

/// What a policy keeps: its stored form, and what its times mean in another boot.
struct PolicyMemoryTests {
  static let rich: PolicyMemory = {
    var writer = PlainWriter()
    let place = writer.beginMap()
    writer.text("losses" as StaticString)
    writer.integer(3)
    writer.endMap(place, count: 1)
    let data = PlainData(bytes: writer.bytes)
    var memory = PolicyMemory()
    memory.state = data
    memory.version = 4
    memory.wasStarted = true
    memory.timers = [
      "plain": .init(deadline: .seconds(100)),
      "both": .init(deadline: .nanoseconds(1), untilChange: "internet", acrossReboot: true),
    ]
    memory.recurring = ["hourly": .init(deadline: .seconds(90), period: .seconds(3600))]
    memory.alerts = [
      "a": .init(
        content: AlertContent(
          key: "a", severity: .critical, title: "Größe – 大", body: "b\u{0}c",
          buttons: [AlertButton(id: "x", label: "X"), AlertButton(id: "y", label: "")],
          channel: "phone"),
        expires: .seconds(5), isExpiryHeld: true),
      "b": .init(content: AlertContent(key: "b", title: "")),
    ]
    memory.published = ["connected": PlainData(bytes: [2]), "": .emptyMap]
    memory.retries = ["page": data]
    memory.limits = ["page": data, "mail": PlainData(bytes: [0])]
    return memory
  }()

  // MARK: The stored form

  @Test func `what was stored is what is read, and equal memories have equal bytes`() {
    for memory in [PolicyMemory(), Self.rich] {
      #expect(PolicyMemory(bytes: memory.bytes) == memory)
    }
    var again = PolicyMemory()
    again.published[""] = .emptyMap
    again.published["connected"] = PlainData(bytes: [2])
    var other = PolicyMemory()
    other.published["connected"] = PlainData(bytes: [2])
    other.published[""] = .emptyMap
    #expect(again.bytes == other.bytes)
  }

  @Test func `bytes that were cut anywhere, or have more behind, are refused`() {
    let bytes = Self.rich.bytes
    for count in 0..<bytes.count { #expect(PolicyMemory(bytes: Array(bytes.prefix(count))) == nil) }
    #expect(PolicyMemory(bytes: bytes + [0]) == nil)
  }

  @Test func `a flipped bit is noticed wherever it is`() {
    let bytes = Self.rich.bytes
    for place in bytes.indices {
      for bit in 0..<8 {
        var hostile = bytes
        hostile[place] ^= 1 << UInt8(bit)
        #expect(PolicyMemory(bytes: hostile) == nil, "byte \(place), bit \(bit)")
      }
    }
  }

  @Test func `hostile bytes with a right checksum are refused or read, and never trap`() {
    let body = Array(Self.rich.bytes.dropFirst(9))
    var random = SplitMix64(seed: 3)
    for count in 0..<body.count {
      #expect(PolicyMemory(bytes: PolicyMemory.seal(Array(body.prefix(count)))) == nil)
    }
    for _ in 0..<5000 {
      var hostile = body
      for _ in 0..<random.number(1...4) {
        hostile[random.number(0...body.count - 1)] = UInt8(truncatingIfNeeded: random.next())
      }
      guard let memory = PolicyMemory(bytes: PolicyMemory.seal(hostile)) else { continue }
      let stamp = BootStamp(bootID: "a", boot: .seconds(1), wall: WallTime())
      let now = BootStamp(bootID: "b", boot: .seconds(1), wall: WallTime(unixNanoseconds: .max))
      _ = memory.translated(from: stamp, to: now)
      #expect(PolicyMemory(bytes: memory.bytes) == memory)
    }
  }

  @Test func `numbers that say there are very many of something are refused at once`() {
    for tag: UInt8 in [5, 6, 7, 8] {
      #expect(PolicyMemory(bytes: PolicyMemory.seal([tag, 255, 255, 255, 255])) == nil)
    }
    #expect(PolicyMemory(bytes: PolicyMemory.seal([7, 0, 0, 0, 0])) == PolicyMemory())
    // Each level claims all that follows: memory for the claims would be gigabytes.
    var nested: [UInt8] = []
    for _ in 0..<18 { nested += [6, 0, 0, 8, 0] }
    nested += [UInt8](repeating: 0, count: 600_000)
    #expect(PolicyMemory(bytes: PolicyMemory.seal(nested)) == nil)
  }

  @Test func `fields of a newer version are passed over, missing ones are as in a new memory`() {
    var writer = PlainWriter()
    let place = writer.beginMap()
    writer.text("colour" as StaticString)
    writer.array(2)
    writer.number(0.5)
    writer.null()
    writer.text("version" as StaticString)
    writer.integer(9)
    writer.endMap(place, count: 2)
    var expected = PolicyMemory()
    expected.version = 9
    #expect(PolicyMemory(bytes: PolicyMemory.seal(writer.bytes)) == expected)
  }

  @Test func `times before the boot, turns without a period and misplaced alerts are refused`() {
    var memory = PolicyMemory()
    memory.timers["t"] = .init(deadline: .seconds(-1))
    #expect(PolicyMemory(bytes: memory.bytes) == nil)
    memory = PolicyMemory()
    memory.recurring["t"] = .init(deadline: .seconds(1), period: .zero)
    #expect(PolicyMemory(bytes: memory.bytes) == nil)
    memory = PolicyMemory()
    memory.alerts["a"] = .init(content: AlertContent(key: "b", title: "t"))
    #expect(PolicyMemory(bytes: memory.bytes) == nil)
    memory = PolicyMemory()
    memory.state = PlainData(bytes: [9])
    #expect(PolicyMemory(bytes: memory.bytes) == nil)
  }

  // MARK: Another boot

  private func stamp(_ boot: String, _ seconds: Int, wall: Int) -> BootStamp {
    BootStamp(
      bootID: boot, boot: .seconds(seconds),
      wall: WallTime(unixNanoseconds: Duration.seconds(wall).nanoseconds))
  }

  private func translate(
    _ deadline: Int, from stored: BootStamp, to now: BootStamp
  ) -> Duration { stored.translate(.seconds(deadline), to: now) }

  @Test func `within one boot nothing changes, whatever the wall says`() {
    let stored = stamp("a", 50, wall: 1_000_000)
    for wall in [0, 999_000, 5_000_000] {
      let memory = Self.rich.translated(from: stored, to: stamp("a", 500, wall: wall))
      #expect(memory == Self.rich)
    }
  }

  @Test func `in another boot a deadline comes when the wall says so`() {
    let stored = stamp("a", 1000, wall: 50_000)
    // 600 seconds were left; 200 have passed.
    #expect(translate(1600, from: stored, to: stamp("b", 30, wall: 50_200)) == .seconds(430))
    // It came due 20 seconds ago.
    #expect(translate(1600, from: stored, to: stamp("b", 30, wall: 50_620)) == .seconds(10))
  }

  @Test func `a deadline is never before the boot`() {
    let stored = stamp("a", 1000, wall: 50_000)
    #expect(translate(1600, from: stored, to: stamp("b", 30, wall: 90_000)) == .zero)
    #expect(translate(0, from: stored, to: stamp("b", 30, wall: 50_000)) == .zero)
  }

  @Test func `a wall clock that went backwards does not prolong a wait`() {
    let stored = stamp("a", 1000, wall: 50_000)
    // No battery: the wall began at 0. Thirty seconds of this boot have passed for certain.
    #expect(translate(1600, from: stored, to: stamp("b", 30, wall: 30)) == .seconds(600))
    #expect(translate(1600, from: stored, to: stamp("b", 700, wall: 30)) == .seconds(600))
  }

  @Test func `extreme clocks and deadlines do not trap`() {
    let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    for wall in extremes {
      for other in extremes {
        let stored = BootStamp(
          bootID: "a", boot: .nanoseconds(Int64.max), wall: WallTime(unixNanoseconds: wall))
        let now = BootStamp(
          bootID: "b", boot: .nanoseconds(Int64.max), wall: WallTime(unixNanoseconds: other))
        #expect(stored.translate(.nanoseconds(Int64.max), to: now) >= .zero)
        #expect(stored.translate(.zero, to: now) >= .zero)
      }
    }
  }

  @Test func `after a reboot an overdue timer is kept only if it was to reach across reboots`() {
    var memory = PolicyMemory()
    memory.timers = [
      "overdue": .init(deadline: .seconds(1100)),
      "due now": .init(deadline: .seconds(1500)),
      "overdue, across": .init(deadline: .seconds(1100), acrossReboot: true),
      "waits": .init(deadline: .seconds(1600), untilChange: "internet"),
      "waits, across": .init(deadline: .seconds(1600), acrossReboot: true),
    ]
    let stored = stamp("a", 1000, wall: 50_000)
    let now = stamp("b", 450, wall: 50_500)
    let timers = memory.translated(from: stored, to: now).timers
    #expect(
      timers == [
        "overdue, across": .init(deadline: .seconds(50), acrossReboot: true),
        "waits": .init(deadline: .seconds(550), untilChange: "internet"),
        "waits, across": .init(deadline: .seconds(550), acrossReboot: true),
      ])
    // A restart within the boot drops none of them.
    #expect(memory.translated(from: stored, to: stamp("a", 5000, wall: 0)).timers.count == 5)
  }

  @Test func `after a reboot missed turns stay as one that is late, and alerts keep their end`() {
    let stored = stamp("a", 50, wall: 50_000)
    let now = stamp("b", 30, wall: 50_060)
    let memory = Self.rich.translated(from: stored, to: now)
    // 40 seconds were left, 60 have passed.
    #expect(memory.recurring == ["hourly": .init(deadline: .seconds(10), period: .seconds(3600))])
    #expect(memory.alerts["a"]?.expires == .zero)
    #expect(memory.alerts["a"]?.isExpiryHeld == true)
    #expect(memory.alerts["b"] == Self.rich.alerts["b"])
    #expect(memory.state == Self.rich.state)
    #expect(memory.retries == Self.rich.retries)
    #expect(memory.limits == Self.rich.limits)
  }

  @Test func `a boot without a name is no boot's fellow`() {
    #expect(!stamp("", 1, wall: 1).isSameBoot(as: stamp("", 1, wall: 1)))
  }
}
