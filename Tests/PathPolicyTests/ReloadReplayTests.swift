import PathCore
import PathPolicy
import PathTestKit
import Testing

/// A trace of a run whose policies were edited says enough to be played again.
struct ReloadReplayTests {
  private static func text(_ edit: Int) -> String {
    """
    local p = { api = 1, version = \(edit), state = { n = 0 }, settle = "\(edit)s" }
    function p.migrate(old) return { n = old.n * 10 } end
    function p.on_start(ctx, ev) ctx.log(ev.reason .. ctx.state.n) end
    function p.on_path(ctx, ev)
      ctx.state.n = ctx.state.n + 1
      ctx.publish("n", ctx.state.n .. " " .. math.random(1000) .. " edit \(edit)")
    end
    return p
    """
  }

  @Test func `each edit is found by its hash, and decides the same again`() throws {
    let texts = (1...3).map { PolicyScript("p", Self.text($0)) } + [PolicyScript("p", "return {")]
    let run = Simulator()
    run.load([texts[0]])
    run.feed(.snapshot(.online()))
    for edit in [1, 3, 2] {
      run.feed(.snapshot(.offline()))
      run.advance(.seconds(1))
      run.load([texts[edit]], reason: .reload)
      run.advance(.seconds(9))
      run.feed(.snapshot(.online()))
      run.advance(.seconds(9))
    }
    #expect(run.faults.isEmpty && run.story.contains { $0.contains("edit 3") })

    // Only the lines and the scripts, as somebody who is sent a trace has them.
    let archive = Dictionary(uniqueKeysWithValues: texts.map { ($0.hash, $0) })
    let replay = Simulator()
    let reader = TraceReader()
    for entry in run.facts {
      var line = JSONWriter()
      entry.fact.writeJSON(into: &line, at: entry.at)
      let read = try reader.fact(line.text)
      if case .policies(let set) = read.fact {
        let scripts = set.hashes.values.compactMap { archive[$0] }
        #expect(scripts.count == set.changed.count)
        if !scripts.isEmpty {
          _ = replay.runtime.load(scripts, reason: set.reason) { _ in .untimed }
        }
      }
      replay.advance(entry.at.awake - replay.awake, firing: false)
      replay.feed(read.fact)
    }
    #expect(replay.story == run.story)
  }
}
