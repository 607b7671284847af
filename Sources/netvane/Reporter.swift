import PathCore
import PathDaemon

/// Writes the daemon's reports as lines, and on a terminal lets people press alerts' buttons by
/// number.
final class Reporter: DaemonDelegate {
  private let console: Console
  private let isJSON: Bool
  private let offersButtons: Bool
  /// The buttons on offer; a number stays a button's for as long as its alert is up.
  private var buttons: [Int: Button] = [:]
  /// Numbers beyond this are not given out; such alerts can still be resolved by their policy.
  private static let buttonsMax = 99

  private struct Button: Hashable {
    var policy: String
    var key: String
    var id: String
    var label: String
  }

  init(console: Console, isJSON: Bool, offersButtons: Bool) {
    self.console = console
    self.isJSON = isJSON
    self.offersButtons = offersButtons
  }

  func report(_ report: Report, at time: WallTime) -> Bool {
    if isJSON { return console.print(ReportJSON.line(report, at: time)) }
    if case .alert(let notice) = report, offersButtons { offer(notice) }
    for line in ReportText(console: console).lines(report, at: time) {
      guard console.print(line) else { return false }
    }
    if case .alert(let notice) = report, offersButtons { return printButtons(notice) }
    return true
  }

  func input(_ line: String) -> [Fact] {
    let word = line.filter { !$0.isWhitespace }
    if word.isEmpty { return [] }
    guard let number = Int(word), let button = buttons[number] else {
      let known = buttons.keys.sorted().map(String.init).joined(separator: ", ")
      console.print(
        known.isEmpty
          ? "There is no button to press now."
          : "Type the number of a button: \(known).")
      return []
    }
    return [.button(policy: button.policy, key: button.key, button: button.id)]
  }

  func text(_ answer: ControlAnswer) -> String { ControlText.text(answer) }

  // MARK: Buttons

  private func offer(_ notice: AlertNotice) {
    let old = buttons.filter {
      $0.value.policy == notice.policy && $0.value.key == notice.content.key
    }
    for number in old.keys { buttons[number] = nil }
    guard notice.state == .raised || notice.state == .updated else { return }
    for button in notice.content.buttons {
      guard let number = (1...Self.buttonsMax).first(where: { buttons[$0] == nil }) else { return }
      buttons[number] = Button(
        policy: notice.policy, key: notice.content.key, id: button.id, label: button.label)
    }
  }

  private func printButtons(_ notice: AlertNotice) -> Bool {
    let mine = buttons.filter {
      $0.value.policy == notice.policy && $0.value.key == notice.content.key
    }
    if mine.isEmpty { return true }
    let shown = mine.sorted { $0.key < $1.key }.map { number, button in
      console.styled("[\(number)]", .bold) + " " + visible(button.label)
    }
    return console.print(ReportText.indent + shown.joined(separator: "   "))
  }
}
