import CSystemd
import Glibc
import PathActions
import PathCore
import PathPolicy

/// Reading the policies and the configuration again while running.
///
/// Everything is loaded beside what runs, a little in each turn of the loop, and takes its place in
/// one turn, between two facts: each fact is judged by one version of a policy, the old one or the
/// new one.
extension Daemon {
  /// Edits are noticed from here on, and so are those made while the daemon started.
  func watchPolicies() {
    guard let place = settings.place else { return }
    do throws(LoopError) {
      policyWatch = try TreeWatch(
        loop: loop, directory: place.directory, files: place.configurations
      ) { [unowned self] in loader.ask(PolicyLoader.Wish(isByHand: false)) }
      policyWatch?.touch()
    } catch {
      tell(.reload(detail: Self.unwatched(error.message)))
      // What runs untested is to be tested all the same.
      loader.ask(PolicyLoader.Wish(isByHand: false))
    }
  }

  /// Begins with what earlier runs accepted, where the files are others now: those are tried as
  /// edits are, once the daemon is ready. Without a place they could not be.
  func takeAcceptedTexts() {
    guard settings.place != nil else { return }
    let accepted = keeper?.acceptedTexts ?? [:]
    let texts = StartingTexts(
      settings.scripts, tests: settings.tests, refused: settings.refused, accepted: accepted)
    settings.scripts = texts.scripts
    settings.refused = texts.refused
    doubts = texts.doubts
  }

  /// Keeps what was accepted for the next start, and forgets texts whose files are gone.
  private func keepAccepted() {
    let names = Set(settings.scripts.map(\.name)).union(settings.refused.map(\.policy))
    for notice in keeper?.accept(runtime.takeAccepted(), of: names) ?? [] {
      tell(.gap(detail: notice))
    }
  }

  /// Once, when an edit is refused for the first time: where nothing is kept, the next start knows
  /// of no refusal.
  private func tellNothingKept() {
    guard !toldNothingKept, keeper?.keeps == false, loaded.rejected.contains(where: isOfRunning)
    else { return }
    toldNothingKept = true
    tell(
      .reload(
        detail: "no state is kept, so the next start does not know the versions that go on; it "
          + "begins with the files as they are then"))
  }

  private func isOfRunning(_ fault: PolicyFault) -> Bool { engine.has(fault.policy) }

  private static func unwatched(_ why: String) -> String {
    "edits are not noticed by themselves: \(why); after an edit, send SIGHUP"
  }

  /// SIGHUP: from somebody who wants the files read again, or because the terminal is gone.
  func hangUp() {
    if hadTerminal, isatty(STDIN_FILENO) != 1 { return end() }
    // It is ending already.
    guard settings.place != nil else { return }
    reopenControl()
    reloadByHand()
  }

  /// Reads everything again, the service manager knowing of it; `told` hears what is told of it,
  /// and nil when the run ends before.
  func reloadByHand(_ told: @escaping (String?) -> Void = { _ in }) {
    let now = Clocks.read(CLOCK_MONOTONIC).nanoseconds / 1000
    _ = unsafe sd_notify(0, "RELOADING=1\nMONOTONIC_USEC=\(now)")
    policyWatch?.refresh()
    loader.ask(
      PolicyLoader.Wish(
        isByHand: true,
        listeners: [
          { detail in
            if detail != nil { _ = unsafe sd_notify(0, "READY=1") }
            told(detail)
          }
        ]))
  }

  /// Reads everything again. By hand, texts that were rejected are tried again, and it is said when
  /// nothing changed.
  func reload(_ wish: PolicyLoader.Wish) {
    guard let place = settings.place else {
      for listener in wish.listeners { listener(nil) }
      return
    }
    let reading = place.read(
      after: PolicyPlace.Reading(
        scripts: settings.scripts, tests: settings.tests, refused: settings.refused,
        configuration: settings.configuration),
      running: engine.has)
    var request = request(.reload, reading)
    request.memories =
      keeper?.memories(of: reading.scripts.map(\.name).filter { !engine.has($0) }) ?? [:]
    request.retrying = wish.isByHand
    loader.load(runtime.loading(request)) { [unowned self] set in
      let detail = take(set, of: reading, isByHand: wish.isByHand)
      for listener in wish.listeners { listener(detail) }
    }
  }

  /// What was read takes its place, the policies and the configuration in one turn; what is told of
  /// it.
  private func take(
    _ loadedSet: PolicySet, of reading: PolicyPlace.Reading, isByHand: Bool
  ) -> String {
    let before = settings.configuration
    settings.scripts = reading.scripts
    settings.tests = reading.tests
    settings.refused = reading.refused
    settings.configuration = reading.configuration
    let notes = adopt(reading.configuration, insteadOf: before)
    var set = loadedSet
    if reading.configuration.hash != before.hash { set.config = reading.configuration.hash }
    let change = loaded.change(to: set)
    let hasNames = Set(set.loaded.map(\.name)) != loaded.names
    loaded = LoadedPolicies(set)
    if !change.isEmpty || set.config != nil { feed(.policies(set)) }
    keepAccepted()
    let said = change + notes
    let detail = said.isEmpty ? unchanged : said.joined(separator: "; ")
    if !said.isEmpty || isByHand { tell(.reload(detail: detail)) }
    tellNothingKept()
    if reading.configuration != before { shadow?.adopt(reading.configuration) }
    if hasNames || set.config != nil { tellStraySettings() }
    if set.config != nil {
      let configuration = reading.configuration
      for warning in ProgramTrust.warnings(on: configuration.grants, file: configuration.file) {
        tell(.reload(detail: warning))
      }
    }
    tellWatchProblem()
    return detail
  }

  /// What the settings hold now, to be loaded.
  var startRequest: PolicyLoading.Request {
    request(
      .start,
      PolicyPlace.Reading(
        scripts: settings.scripts, refused: settings.refused,
        configuration: settings.configuration))
  }

  private func request(
    _ reason: StartReason, _ reading: PolicyPlace.Reading
  ) -> PolicyLoading.Request {
    var request = PolicyLoading.Request(reading.scripts, reason: reason)
    request.tests = reading.tests
    request.refused = reading.refused + reading.faults
    request.settings = { reading.configuration.settings(for: $0) }
    return request
  }

  private var unchanged: String {
    let rejected = engine.rejected.map(\.name)
    if rejected.isEmpty { return "nothing changed" }
    return "nothing changed; still not taken: \(LoadedPolicies.list(rejected))"
  }

  /// Lets the new configuration hold as far as that goes while running; what to say of it.
  private func adopt(_ fresh: Configuration, insteadOf old: Configuration) -> [String] {
    var now: [String] = []
    if fresh.grants != old.grants {
      actions.grant(fresh.grants)
      now.append("grants")
    }
    if fresh.limits != old.limits {
      if fresh.limits.reconcileSeconds != old.limits.reconcileSeconds { armReconcile() }
      now.append("limits")
    }
    func isLater<Part: Equatable>(_ part: KeyPath<Configuration, Part>) -> Bool {
      fresh[keyPath: part] != old[keyPath: part]
        && fresh[keyPath: part] != kernelConfiguration[keyPath: part]
    }
    var later: [String] = []
    if isLater(\.interfaces) { later.append("interfaces") }
    if isLater(\.underlay) { later.append("underlay") }
    if isLater(\.lookupIPv4) || isLater(\.lookupIPv6) { later.append("lookup") }
    if isLater(\.countsBridgeUplink) { later.append("bridge_uplink") }
    var notes: [String] = []
    if !now.isEmpty { notes.append("\(fresh.file): \(now.joined(separator: ", ")) taken") }
    if !later.isEmpty {
      let verb = later.count == 1 ? "takes" : "take"
      notes.append(
        "\(fresh.file): \(later.joined(separator: ", ")) \(verb) effect at the next start")
    }
    return notes
  }

  /// Settings for policies that are not there do nothing; a misspelt name should not do so unseen.
  private func tellStraySettings() {
    let names = settings.scripts.map(\.name)
    for stray in settings.configuration.straySettings(policies: names) {
      tell(.reload(detail: stray))
    }
  }

  private func tellWatchProblem() {
    guard let problem = policyWatch?.problem, problem != toldProblem else { return }
    toldProblem = problem
    tell(.reload(detail: Self.unwatched(problem)))
  }
}

/// What the last load gave, to tell what the next one changes.
struct LoadedPolicies {
  var names: Set<String> = []
  var rejected: [PolicyFault] = []

  init() {}

  init(_ set: PolicySet) {
    names = Set(set.loaded.map(\.name))
    rejected = set.rejected
  }

  /// What another load does to this: nothing at all, or a few words for each kind.
  func change(to set: PolicySet) -> [String] {
    let fresh = LoadedPolicies(set)
    let refused = Set(fresh.rejected.map(\.policy))
    let known = names.union(rejected.map(\.policy))
    let removed = known.subtracting(fresh.names).subtracting(refused)
    // The old text again, after one that was rejected.
    let back = fresh.names.subtracting(names).subtracting(set.changed)
    let entries: [(String, Set<String>)] = [
      ("loaded", set.changed), ("as before", back),
      ("not taken", Set(fresh.rejected.filter { !rejected.contains($0) }.map(\.policy))),
      ("taken again", removed.filter { $0.contains("/") }),
      ("removed", removed.filter { !$0.contains("/") }),
    ]
    return entries.filter { !$0.1.isEmpty }.map { "\($0.0): \(Self.list($0.1.sorted()))" }
  }

  static func list(_ names: [String]) -> String {
    let shown = names.prefix(8).joined(separator: ", ")
    return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
  }
}
