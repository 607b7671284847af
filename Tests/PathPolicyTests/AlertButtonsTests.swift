import PathCore
import Testing

@testable import PathPolicy

/// Buttons that were seen before are not looked at as closely, and come out the same.
@Suite struct AlertButtonsTests {
  /// A policy that raises the same alert each time it is told of a path.
  private func raise(_ buttons: String) -> (content: AlertContent?, fault: String?) {
    let rig = Rig(
      """
      local p = { api = 1, settle = "0s" }
      function p.on_path(ctx, ev)
        ctx.alert.raise { key = "k", title = ev.status, buttons = \(buttons) }
      end
      return p
      """)
    for _ in 0..<3 {
      rig.simulator.feed(.snapshot(.online()))
      rig.simulator.feed(.snapshot(.offline()))
    }
    let fault = rig.simulator.log.compactMap {
      if case .fault(let fault) = $0.order { fault.message } else { nil }
    }.first
    return (rig.simulator.alerts.values.first, fault)
  }

  @Test(arguments: [
    "{ { id = 'a', label = 'A' }, { id = 'b', label = 'B' } }",
    "{ [2] = { id = 'b', label = 'B' }, [1] = { id = 'a', label = 'A' } }",
    "{ [1] = { id = 'a', label = 'A' }, [7] = { id = 'b', label = 'B' } }",
  ]) func `in order, whatever the keys`(_ buttons: String) {
    let (content, fault) = raise(buttons)
    #expect(fault == nil)
    #expect(
      content?.buttons == [AlertButton(id: "a", label: "A"), AlertButton(id: "b", label: "B")])
  }

  @Test(arguments: [
    ("{ { id = 'a', label = 'A' }, { id = 'a', label = 'B' } }", "two buttons have the id 'a'"),
    ("{ { id = 'a' } }", "label"), ("{ { id = '', label = 'A' } }", "empty"),
    ("{ x = { id = 'a', label = 'A' } }", "expected a list of buttons"), ("7", "list of buttons"),
    ("{ { id = 'a', label = 'A', colour = 1 } }", "colour"), ("{ 1 }", "a button"),
  ]) func `what is wrong is said`(_ buttons: String, _ word: String) {
    #expect(raise(buttons).fault?.contains(word) == true)
  }
}
