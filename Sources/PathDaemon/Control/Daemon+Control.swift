import Glibc
import PathActions
import PathCore
import PathKernel

/// What is asked over the control socket: by the loop, between two facts.
extension Daemon {
  /// A socket that was lost, or never to be had, is tried for again.
  func reopenControl() {
    if settings.control == nil || control?.isInPlace == true { return }
    control?.close()
    control = nil
    openControl()
  }

  /// Without a socket the run goes on, and says so.
  func openControl() {
    guard let path = settings.control else { return }
    do throws(ControlTrouble) {
      let socket = try ControlSocket(path)
      do throws(LoopError) {
        control = try ControlServer(
          socket, loop: loop, tell: { [unowned self] in tell(.gap(detail: $0)) },
          text: { [unowned self] in delegate.text($0) },
          answer: { [unowned self] in answer($0) })
      } catch {
        socket.remove()
        throw ControlTrouble(error.message)
      }
    } catch {
      tell(.gap(detail: error.message))
    }
  }

  /// A reload is answered when all of it is in place; what else is asked, at once.
  private func answer(_ call: ControlCall) -> LateAnswer {
    call == .reload
      ? reloadAnswer() : LateAnswer(Result { () throws(ControlRefusal) in try answerNow(call) })
  }

  private func answerNow(_ call: ControlCall) throws(ControlRefusal) -> ControlAnswer {
    let now = Clocks.now()
    switch call {
    case .status: return .status(statusReport(at: now))
    case .alerts: return .alerts(engine.status(at: now).alerts)
    case .press(let key, let button):
      let alert = try AlertSearch(engine.status(at: now).alerts).alert(key)
      let chosen = try alert.button(button)
      if let deafness = engine.deafness(of: alert.policy, at: now) {
        throw ControlRefusal(409, deafness)
      }
      return deed(
        .button(policy: alert.policy, key: alert.content.key, button: chosen.id), alert, chosen)
    case .dismiss(let key):
      let alert = try AlertSearch(engine.status(at: now).alerts).alert(key)
      return deed(.dismissed(policy: alert.policy, key: alert.content.key), alert, nil)
    case .reload: preconditionFailure("the answer to a reload comes later")
    }
  }

  private func statusReport(at now: Moment) -> StatusReport {
    StatusReport(
      version: settings.version, process: getpid(), started: started,
      isDryRun: settings.isDryRun,
      path: engine.path ?? PathEvaluator.path(of: kernel.snapshot(), filter: .none),
      engine: engine.status(at: now), refusals: refusals.entries)
  }

  private func deed(
    _ fact: Fact, _ alert: EngineStatus.Alert, _ button: AlertButton?
  ) -> ControlAnswer {
    overheard = []
    let orders = feed(fact)
    defer { overheard = nil }
    return .deed(
      ControlDeed(
        alert: alert, button: button, reports: overheard ?? [],
        decided: orders.filter(\.isDecision).map(\.description)))
  }

  private func reloadAnswer() -> LateAnswer {
    let refusal = ControlRefusal(409, "this run has no files to read again, or is ending")
    guard settings.place != nil else { return LateAnswer(.failure(refusal)) }
    let answer = LateAnswer()
    reloadByHand { [unowned self] detail in
      answer.give(detail.map { .success(.reload(reloadOutcome($0))) } ?? .failure(refusal))
    }
    return answer
  }

  private func reloadOutcome(_ detail: String) -> ReloadOutcome {
    ReloadOutcome(
      detail: detail,
      rejected: engine.rejected.map { name, located in
        let instead =
          name.contains("/")
          ? "what was read before holds"
          : engine.has(name) ? "the version before it runs" : "it was not loaded"
        return ReloadOutcome.Rejection(name: name, located: located, instead: instead)
      })
  }
}

extension Order {
  /// Whether anybody outside would notice.
  fileprivate var isDecision: Bool {
    switch self {
    case .setTimer, .clearTimer, .persist: false
    case .deliver, .alert, .publish, .log, .perform, .cancel, .action, .policy, .fault, .gap: true
    }
  }
}
