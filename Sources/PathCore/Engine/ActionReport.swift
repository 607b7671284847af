/// What became of an action, for people and for policies.
package struct ActionReport: Hashable, Sendable {
  package enum State: String, CaseIterable, Hashable, Sendable {
    case started, waiting, succeeded, failed, refused, dropped
  }

  package var policy: String
  package var key: String
  package var kind: String
  package var state: State
  package var detail: String

  package init(policy: String, key: String, kind: String, state: State, detail: String) {
    self.policy = policy
    self.key = key
    self.kind = kind
    self.state = state
    self.detail = detail
  }
}
