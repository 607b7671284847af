import Glibc
import PathCore
import PathPolicy

/// Loads policies in turns of the loop: for a moment, then whatever else the loop has to do, then
/// for a moment again. One load at a time; what is asked for meanwhile waits and is never lost.
final class PolicyLoader {
  /// How long one turn may load, beyond the policy that is being loaded.
  static let turnMost = Duration.milliseconds(50)

  /// A reading of all files that was asked for.
  struct Wish {
    /// By hand: texts that were rejected are tried again, and it is told when nothing changed.
    var isByHand: Bool
    /// Hear what is told of it; nil when it came to nothing, since the run ends.
    var listeners: [(String?) -> Void] = []

    mutating func join(_ other: Wish) {
      isByHand = isByHand || other.isByHand
      listeners += other.listeners
    }
  }

  private enum State {
    case idle
    case loading(PolicyLoading, done: (PolicySet) -> Void, then: Wish?)
    /// A load is done, and the next one begins in a turn of its own.
    case owing(Wish)
    case ended
  }

  private var state = State.idle
  private var timer: LoopTimer?
  private let turnMost: Duration
  /// Each turn runs within this.
  private let around: (() -> Void) -> Void
  /// Grants a wish, once nothing is being loaded.
  private let grant: (Wish) -> Void

  init(
    loop: EventLoop, turnMost: Duration = PolicyLoader.turnMost,
    around: @escaping (() -> Void) -> Void = { $0() }, grant: @escaping (Wish) -> Void
  ) throws(LoopError) {
    self.turnMost = turnMost
    self.around = around
    self.grant = grant
    timer = try loop.makeTimer(.awake) { [unowned self] in self.around(goOn) }
  }

  deinit { timer?.remove() }

  /// Grants the wish now, or when what is being loaded is in place.
  func ask(_ wish: Wish) {
    switch state {
    case .idle: grant(wish)
    case .loading(let loading, let done, let earlier):
      state = .loading(loading, done: done, then: Self.joined(earlier, wish))
    case .owing(let earlier): state = .owing(Self.joined(earlier, wish))
    case .ended: for listener in wish.listeners { listener(nil) }
    }
  }

  private static func joined(_ earlier: Wish?, _ wish: Wish) -> Wish {
    guard var earlier else { return wish }
    earlier.join(wish)
    return earlier
  }

  /// Begins at once; a small load is done when this returns. `done` is called when all is in place.
  func load(_ loading: PolicyLoading, done: @escaping (PolicySet) -> Void) {
    switch state {
    case .idle:
      state = .loading(loading, done: done, then: nil)
      around(goOn)
    case .loading, .owing: preconditionFailure("one load at a time: a wish waits for its turn")
    case .ended: break
    }
  }

  /// Whether a load is under way.
  var isLoading: Bool {
    if case .loading = state { true } else { false }
  }

  /// The run ends: nothing that is not in place will be.
  func end() {
    let before = state
    state = .ended
    timer?.disarm()
    switch before {
    case .loading(_, _, let wish?), .owing(let wish):
      for listener in wish.listeners { listener(nil) }
    case .idle, .loading, .ended: break
    }
  }

  private func goOn() {
    switch state {
    case .idle, .ended: break
    case .owing(let wish):
      state = .idle
      grant(wish)
    case .loading(let loading, let done, let wish):
      let end = Clocks.read(CLOCK_MONOTONIC) + turnMost
      repeat { loading.step() } while !loading.isDone && Clocks.read(CLOCK_MONOTONIC) < end
      guard loading.isDone else { return arm() }
      let set = loading.finish()
      state = wish.map { .owing($0) } ?? .idle
      if wish != nil { arm() }
      done(set)
    }
  }

  private func arm() { timer?.arm(at: Clocks.read(CLOCK_MONOTONIC)) }
}
