package import PathCore

/// Something the daemon tells whoever runs it.
package enum Report: Sendable {
  /// The policies are loaded and the kernel is heard; verdicts follow.
  case ready(policies: Int)
  case path(policy: String, PathEvent)
  case alert(AlertNotice)
  case publish(PublishNotice)
  case action(ActionReport)
  case policy(name: String, PolicyStanding, detail: String)
  case fault(PolicyFault)
  case gap(detail: String)
  /// The policies or the configuration were read again: what came of it.
  case reload(detail: String)
  /// Live policies and their shadows decided differently.
  case shadow(ShadowDifference)
}

/// Takes the daemon's reports and, where there is a person, what they type.
package protocol DaemonDelegate: AnyObject {
  /// False when nobody can be told any more; the daemon then ends.
  func report(_ report: Report, at time: WallTime) -> Bool
  /// A line typed at the terminal; the facts that it means.
  func input(_ line: String) -> [Fact]
  /// What somebody who asked over the control socket will read.
  func text(_ answer: ControlAnswer) -> String
}

extension DaemonDelegate {
  /// For those who print nothing: the same as programs get.
  package func text(_ answer: ControlAnswer) -> String {
    String(decoding: answer.json, as: UTF8.self)
  }
}
