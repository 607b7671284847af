import PathCore

/// Looks for a shorter form of what a property drew: proposes one candidate after the other, and is
/// told whether it still fails. Pieces of runs go first, then gaps get shorter, and numbers go to
/// their low end; it ends when nothing smaller fails, or after so many attempts.
struct Shrinker {
  private(set) var attempts = 0
  private(set) var accepted = 0
  private var best: [Drawn]
  private var candidate: [Drawn]?
  private var place = 0
  private var stage = Stage.pieces(size: 0, at: 0)
  /// Something got smaller since the first value was looked at.
  private var isProgress = false

  static let attemptsMost = 600

  private enum Stage {
    /// Steps from `at`, so many, are left out.
    case pieces(size: Int, at: Int)
    /// The step's time, divided by the divisor.
    case gap(at: Int, divisor: Int64)
    /// The whole value: its simplest form, then half way to one that is known not to fail.
    case value(good: PlainValue?)
    case done
  }

  init(_ drawn: [Drawn]) {
    best = drawn
    begin(0)
  }

  /// The next thing to try; nil when there is nothing more.
  mutating func next() -> [Drawn]? {
    while attempts < Self.attemptsMost {
      guard place < best.count else {
        guard isProgress else { return nil }
        isProgress = false
        begin(0)
        continue
      }
      if let value = proposal() {
        attempts += 1
        var drawn = best
        drawn[place].value = value
        candidate = drawn
        return drawn
      }
      advance()
    }
    return nil
  }

  /// The candidate still fails.
  mutating func accept() {
    guard let candidate else { return }
    best = candidate
    accepted += 1
    isProgress = true
    switch stage {
    case .pieces(let size, let at): stage = .pieces(size: min(size, steps.count), at: at)
    case .gap, .done: break
    case .value: break
    }
  }

  /// The candidate does not fail.
  mutating func reject() {
    switch stage {
    case .pieces(let size, let at): stage = .pieces(size: size, at: at + size)
    case .gap(let at, let divisor): stage = divisor > 2 ? .gap(at: at, divisor: 2) : nextGap(at)
    case .value: stage = .value(good: candidate?[place].value)
    case .done: break
    }
  }

  // MARK: Places and stages

  private var steps: [PlainValue] { best[place].value.elements ?? [] }

  private mutating func begin(_ index: Int) {
    place = index
    guard index < best.count else { return }
    stage = isRun ? .pieces(size: max(1, steps.count / 2), at: 0) : .value(good: nil)
  }

  /// A list of steps, each a list that begins with its verb.
  private var isRun: Bool {
    !steps.isEmpty && steps.allSatisfy { $0.elements?.first?.text != nil }
  }

  /// Nothing more of this stage.
  private mutating func advance() {
    switch stage {
    case .pieces(let size, _) where size > 1: stage = .pieces(size: size / 2, at: 0)
    case .pieces: stage = nextGap(-1)
    case .gap(let at, _): stage = nextGap(at)
    case .value, .done: begin(place + 1)
    }
  }

  /// The next step whose time can be shorter.
  private func nextGap(_ before: Int) -> Stage {
    for at in steps.indices where at > before && time(at) != nil {
      return .gap(at: at, divisor: 1000)
    }
    return .done
  }

  private func time(_ at: Int) -> Duration? {
    guard at < steps.count, let parts = steps[at].elements, parts.count == 2,
      let text = parts[1].text, let time = TestDuration.read(text), time > .milliseconds(1)
    else { return nil }
    return time
  }

  private func proposal() -> PlainValue? {
    switch stage {
    case .pieces(let size, let at):
      guard size >= 1, at < steps.count else { return nil }
      var rest = steps
      rest.removeSubrange(at..<min(at + size, rest.count))
      return .array(rest)
    case .gap(let at, let divisor):
      guard let time = time(at), var parts = steps[at].elements else { return nil }
      let shorter = Self.divided(time, by: divisor)
      guard shorter < time else { return nil }
      parts[1] = .string(shorter.shortText)
      var changed = steps
      changed[at] = .array(parts)
      return .array(changed)
    case .value(let good):
      let (value, simplest) = (best[place].value, best[place].simplest)
      if value == simplest || isRun { return nil }
      return good.map { halfWay(value, $0) } ?? simplest
    case .done: return nil
    }
  }

  /// In whole units that people would write.
  private static func divided(_ time: Duration, by divisor: Int64) -> Duration {
    let milliseconds = time.nanoseconds / 1_000_000 / divisor
    let unit: Int64 = milliseconds >= 120_000 ? 60_000 : milliseconds >= 2000 ? 1000 : 1
    return .nanoseconds(max(1, milliseconds / unit * unit) * 1_000_000)
  }

  private func halfWay(_ value: PlainValue, _ simplest: PlainValue) -> PlainValue? {
    if case .integer(let high) = value, case .integer(let low) = simplest {
      let (distance, isOver) = high.subtractingReportingOverflow(low)
      let middle = isOver ? low / 2 + high / 2 : low + distance / 2
      return middle == high || middle == low ? nil : .integer(middle)
    }
    guard let high = value.text.flatMap(TestDuration.read),
      let low = simplest.text.flatMap(TestDuration.read), high > low
    else { return nil }
    let middle = low + Self.divided(high - low, by: 2)
    // A time need not be known to the last millisecond.
    return middle < high && high - low > low / 100 ? .string(middle.shortText) : nil
  }
}
