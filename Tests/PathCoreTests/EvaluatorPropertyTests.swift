import PathCore
import PathTestKit
import Testing

/// What holds for every snapshot and filter, tried on seeded random ones. A failure names its seed.
@Suite struct EvaluatorPropertyTests {
  static let seeds: Range<UInt64> = 0..<2000

  /// Runs the check for each seed and reports the first few seeds that fail it.
  private func forEachSeed(_ check: (inout RandomSnapshots) -> String?) {
    var failures: [String] = []
    for seed in Self.seeds {
      var random = RandomSnapshots(seed: seed)
      if let failure = check(&random) { failures.append("seed \(seed): \(failure)") }
      if failures.count == 3 { break }
    }
    #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
  }

  private func describe(_ snapshot: Snapshot, _ filter: PathFilter) -> String {
    var writer = JSONWriter()
    snapshot.writeJSON(into: &writer)
    return "\(filter) on \(writer.text)"
  }

  @Test func `satisfied means a primary interface that works, and nothing else lists a carrier`() {
    forEachSeed { random in
      let (snapshot, filter) = (random.snapshot(), random.filter())
      let path = PathEvaluator.path(of: snapshot, filter: filter)
      let holds: Bool
      switch path.status {
      case .satisfied:
        let link = path.primary.flatMap { snapshot.interface($0.index) }
        holds =
          path.reason == .none && path.alternatives.isEmpty && link?.linkState == .usable
          && !path.uses.isEmpty
      case .unsatisfied:
        holds =
          path.interfaces.isEmpty && path.reason != .none && path.ipv4 == nil
          && path.ipv6 == nil && !path.supportsDNS && !path.isExpensive
      case .requiresConnection:
        holds = path.reason == .dormant ? path.interfaces.count == 1 : path.reason == .unknown
      }
      return holds && path.why.hasSuffix(".")
        ? nil : "\(path.status) \(path.reason) for \(describe(snapshot, filter))"
    }
  }

  @Test func `the random snapshots reach every reason`() {
    var seen: Set<PathReason> = []
    for seed in Self.seeds {
      var random = RandomSnapshots(seed: seed)
      let (snapshot, filter) = (random.snapshot(), random.filter())
      for filter in [filter, .none] {
        seen.insert(PathEvaluator.path(of: snapshot, filter: filter).reason)
      }
    }
    #expect(Set(PathReason.allCases).subtracting(seen).isEmpty)
  }

  @Test func `no listed interface has a prohibited layer or is ignored`() {
    forEachSeed { random in
      let (snapshot, filter) = (random.snapshot(), random.filter())
      let path = PathEvaluator.path(of: snapshot, filter: filter)
      guard path.status == .satisfied else { return nil }
      var listed = path.interfaces
      listed += [path.ipv4?.interface, path.ipv6?.interface].compactMap { $0 }
      for interface in listed {
        let isIgnored = filter.ignored.contains { NamePattern($0).matches(interface.name) }
        if filter.prohibited.contains(interface.type) || isIgnored
          || !path.uses.isDisjoint(with: filter.prohibited)
        {
          return "\(interface.name) in \(describe(snapshot, filter))"
        }
      }
      return nil
    }
  }

  @Test func `forbidding one more type never makes a path of what it forbids`() {
    forEachSeed { random in
      let (snapshot, filter) = (random.snapshot(), random.filter())
      let type = random.generator.pick(InterfaceType.allCases)
      var stricter = filter
      stricter.prohibited.insert(InterfaceTypeSet(type))
      let path = PathEvaluator.path(of: snapshot, filter: stricter)
      return path.uses.contains(type) ? describe(snapshot, stricter) : nil
    }
  }

  @Test func `equal snapshots give equal paths`() {
    forEachSeed { random in
      let (snapshot, filter) = (random.snapshot(), random.filter())
      let first = PathEvaluator.path(of: snapshot, filter: filter)
      let second = PathEvaluator.path(of: snapshot, filter: filter)
      return first == second && first.why == second.why ? nil : describe(snapshot, filter)
    }
  }

  @Test func `links without a way out change neither order nor status`() {
    forEachSeed { random in
      let (snapshot, filter) = (random.snapshot(), random.filter())
      // Beside a tunnel alone in its container, another link is no stranger; and unnumbered links
      // may borrow an address from anybody.
      guard
        !snapshot.interfaces.contains(where: {
          $0.underlay != .notNeeded || $0.flags.contains(.pointToPoint)
        })
      else { return nil }
      let before = PathEvaluator.path(of: snapshot, filter: filter)
      var crowded = snapshot
      for index in 0..<Int32.random(in: 1...4, using: &random.generator) {
        crowded.interfaces.append(random.island(100 + index))
      }
      let after = PathEvaluator.path(of: crowded, filter: filter)
      let isSame =
        before.status == after.status && before.interfaces == after.interfaces
        && before.alternatives == after.alternatives && before.uses == after.uses
      return isSame ? nil : "\(before.why) / \(after.why): \(describe(snapshot, filter))"
    }
  }

  @Test func `without a filter a family is served exactly when its unbound lookup ends well`() {
    forEachSeed { random in
      let snapshot = random.snapshot()
      let path = PathEvaluator.path(of: snapshot, filter: .none)
      for (lookup, served) in [(snapshot.ipv4, path.ipv4), (snapshot.ipv6, path.ipv6)] {
        guard let served else { continue }
        guard let hops = lookup.answer?.hops,
          hops.contains(where: { $0.interface == served.interface.index && !$0.isDead })
        else { return "\(served.interface.name): \(describe(snapshot, .none))" }
      }
      return nil
    }
  }

  @Test func `the explanation tells the same verdict and knows every interface`() {
    forEachSeed { random in
      let (snapshot, filter) = (random.snapshot(), random.filter())
      let path = PathEvaluator.path(of: snapshot, filter: filter)
      let explanation = PathEvaluator.explanation(of: snapshot, filter: filter)
      let isWhole =
        explanation.path == path && explanation.evidence.count == snapshot.interfaces.count
        && explanation.lines.first == path.why
        && explanation.evidence.contains { $0.role == .chosen } == !path.interfaces.isEmpty
      return isWhole ? nil : describe(snapshot, filter)
    }
  }
}
