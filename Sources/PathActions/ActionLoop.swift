package import PathCore

/// What executors need of the loop they live in: everything they do is begun by it, and nothing in
/// them waits.
package protocol ActionLoop: AnyObject {
  /// The clock that stands still while the machine sleeps.
  var awakeTime: Duration { get }

  /// Calls `body` whenever the descriptor is ready for one of these, until the ticket is returned.
  func watch(
    _ descriptor: Int32, for wanted: Readiness, _ body: @escaping (Readiness) -> Void
  ) throws(ActionRefusal) -> any LoopTicket

  /// Calls `body` once, after that much awake time, unless the ticket is returned before.
  func after(
    _ delay: Duration, _ body: @escaping () -> Void
  ) throws(ActionRefusal) -> any LoopTicket
}

/// A wish that the loop holds. It is held until `remove`, not until the ticket is forgotten.
package protocol LoopTicket: AnyObject {
  /// Ends it; may be called twice, and by what it calls.
  func remove()
}

/// What a descriptor is ready for. One that failed or was hung up is ready for both.
package struct Readiness: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let read = Readiness(rawValue: 1)
  package static let write = Readiness(rawValue: 2)
}
