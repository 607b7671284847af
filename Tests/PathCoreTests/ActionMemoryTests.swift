import Testing

@testable import PathCore

/// What of actions is kept over a restart.
@Suite struct ActionMemoryTests {
  static let requests: [ActionRequest] = [
    ActionRequest(
      key: "a",
      action: .exec(
        ExecRequest(command: "c", arguments: ["x", "two words", ""], timeout: .seconds(5))),
      onlyWhile: .satisfied, limit: RateLimit(count: 3, per: .seconds(3600)),
      disturbs: .seconds(40), retry: RetryRule(attempts: 4, within: .seconds(60), during: .always)),
    ActionRequest(
      key: "b",
      action: .openURL(
        OpenURLRequest(
          url: "https://x.example/", browsers: ["chrome", "default"], cooldown: .seconds(9))),
      retry: RetryRule(
        base: .milliseconds(100), cap: .seconds(7), during: .monitor("cable"), isNow: true)),
    ActionRequest(
      key: "c",
      action: .http(
        HTTPRequest(
          url: "http://127.0.0.1:1/", method: .post,
          headers: [HTTPRequest.Header("X-A", "1"), HTTPRequest.Header("X-B", "")], body: "body",
          expectation: HTTPRequest.Expectation(status: 204, contains: "ok"), interface: "eth0",
          timeout: .seconds(3)))),
    ActionRequest(key: "d", action: .http(HTTPRequest(url: "http://h/")), retry: RetryRule()),
  ]

  private func plain(_ request: ActionRequest) -> PlainValue? {
    var writer = PlainWriter()
    request.write(into: &writer)
    return PlainReader.decode(PlainData(bytes: writer.bytes))
  }

  @Test(arguments: requests) func `a request is read as it was written`(_ request: ActionRequest)
    throws
  {
    #expect(try ActionRequest(#require(plain(request))) == request)
  }

  @Test func `a retry is kept with what it has spent, a single action is not`() throws {
    var slot = ActionSlot(Self.requests[0])
    slot.request.facts = ["NETVANE_STATUS": "satisfied", "NETVANE_WHY": "so"]
    slot.serial = 9
    slot.attempt = 2
    slot.spent = .seconds(3)
    slot.openSince = .seconds(10)
    slot.lastTry = .seconds(11)
    let kept = try #require(slot.memory(at: .seconds(12)).flatMap { ActionSlot(memory: $0) })
    #expect(kept.request == slot.request)
    #expect(kept.attempt == 2 && kept.spent == .seconds(5) && kept.lastTry == .seconds(11))
    #expect(kept.serial == nil && kept.due == nil && kept.openSince == nil)
    #expect(ActionSlot(Self.requests[2]).memory(at: .zero) == nil)
    slot.pending = Self.requests[3]
    #expect(slot.memory(at: .zero).flatMap { ActionSlot(memory: $0) }?.request == Self.requests[3])
  }

  @Test func `in another boot a try is long ago and a run as old as the wall says`() throws {
    let before = BootStamp(bootID: "a", boot: .seconds(1000), wall: WallTime(unixNanoseconds: 0))
    let after = BootStamp(
      bootID: "b", boot: .seconds(20), wall: WallTime(unixNanoseconds: 100_000_000_000))
    var slot = ActionSlot(Self.requests[3])
    slot.lastTry = .seconds(990)
    let kept = try #require(slot.memory(at: .seconds(1000)))
    #expect(ActionSlot.translate(kept, from: before, to: before) == kept)
    let moved = ActionSlot.translate(kept, from: before, to: after)
    #expect(ActionSlot(memory: moved)?.lastTry == .zero)
    let log = RunLog(times: [.seconds(940), .seconds(1000)])
    var read = try #require(RunLog(memory: RunLog.translate(log.memory, from: before, to: after)))
    #expect(read.times == [.seconds(-140), .seconds(-80)])
    let limit = RateLimit(count: 2, per: .seconds(180))
    #expect(read.nextFree(limit, at: .seconds(20)) == .seconds(40))
    #expect(read.nextFree(limit, at: .seconds(40)) == nil)
  }

  @Test func `bytes that no engine wrote are refused, or bounded`() throws {
    var slot = ActionSlot(Self.requests[1])
    slot.lastTry = .seconds(1)
    let bytes = try #require(slot.memory(at: .zero)).bytes
    for place in bytes.indices {
      for value: UInt8 in [0, 1, 3, 5, 6, 7, 255] {
        var changed = bytes
        changed[place] = value
        _ = ActionSlot(memory: PlainData(bytes: changed))
        _ = RunLog(memory: PlainData(bytes: changed))
      }
      #expect(ActionSlot(memory: PlainData(bytes: Array(bytes.prefix(place)))) == nil)
    }
  }
}
