internal import CLinux

/// Taking in what woke the reader: its sockets, its timer, the radios and resolv.conf.
extension KernelReader {
  // MARK: Events

  /// Reads what is pending, up to a bound, without waiting.
  package func drain() -> KernelNews {
    intake.hints = KernelHints(rawValue: 0)
    let ready = wakes.ready()
    isLost = ready.areLost
    if ready.contains(.alarm), let lost = takeAlarms() { return .lost(lost) }
    if ready.contains(.radios) { drainRadioDevice() }
    if ready.contains(.resolver) { drainResolver() }
    // A set within a set tells of a mount only once, and that to the outer one.
    if resolver.drainMounts() { intake.hints.add(.nameServers) }
    if ready.contains(.routes) { drainHints() }
    let lost = ready.contains(.events) ? drainEvents() : nil
    let hints = intake.hints
    if hints.touch(.reread) { isStale = true }
    if hints.touch(.linksOrAddresses) { selected.isCurrent = false }
    if hints.touch(.radio) { readRadios() }
    if let lost {
      intake.counters.overruns += 1
      isStale = true
      return .lost(lost)
    }
    return hints.rawValue == 0 ? .nothing : .changed(hints)
  }

  /// Returns what was lost, or nil.
  private func drainEvents() -> String? {
    guard let netlink else { return nil }
    let malformedBefore = netlink.events.malformed
    let outcome = netlink.events.receive(into: &intake)
    if netlink.events.malformed != malformedBefore { intake.hints.add(.reread) }
    switch outcome {
    case .complete:
      breaks.reset()
      return nil
    case .lost(let detail):
      breaks.reset()
      return detail
    case .broken(let detail): return replaceSockets(detail)
    }
  }

  /// At once the first time; later ones may break at once too.
  private func replaceSockets(_ detail: String) -> String {
    let isFirst = breaks.isFresh
    let pause = breaks.next()
    disconnect()
    if isFirst, connect() { return "the event socket was opened anew (\(detail))" }
    if refusal == nil { refusal = detail }
    alarms.set(.retry, in: pause)
    return "the event socket cannot be read (\(detail))"
  }

  /// Returns what was lost, or nil.
  private func takeAlarms() -> String? {
    if alarms.take(.rest), let hintSocket {
      // What came last may have been told of before it was made, so each rest ends with a look.
      intake.hints.add(.farRoute)
      if hintSocket.drain() {
        alarms.set(.rest, in: hintSocket.nextRest())
      } else {
        hintSocket.endRests()
        wakes.add(hintSocket.descriptor, .routes)
      }
    }
    if alarms.take(.resolver), resolver.reload() { intake.hints.add(.nameServers) }
    if alarms.take(.expiry) { intake.hints.add(.due) }
    guard alarms.take(.retry) else { return nil }
    intake.hints.add(.due)
    guard let reason = refusal else { return nil }
    guard connect() else {
      alarms.set(.retry, in: retries.next())
      return nil
    }
    return "netlink can be had again (before: \(reason))"
  }

  private func drainResolver() {
    if resolver.drain() { intake.hints.add(.nameServers) }
    if resolver.isBeingWritten { alarms.set(.resolver, in: Self.writingTime) }
  }

  private func drainHints() {
    guard let hintSocket, hintSocket.drain() else { return }
    intake.hints.add(.farRoute)
    wakes.remove(hintSocket.descriptor)
    alarms.set(.rest, in: hintSocket.nextRest())
  }

  func closeHints() {
    if let hintSocket { wakes.remove(hintSocket.descriptor) }
    hintSocket = nil
    alarms.clear(.rest)
  }

  func openRadioDevice() {
    if radioDevice.open() { wakes.add(radioDevice.descriptor, .radios) }
  }

  private func drainRadioDevice() {
    let (hasNews, isOver) = radioDevice.drain()
    if hasNews { intake.hints.add(.radio) }
    guard isOver else { return }
    wakes.remove(radioDevice.descriptor)
    radioDevice.shut()
  }

  private func readRadios() {
    let fresh = RadioSwitches(classifier.sysfs)
    if fresh != radios { selected.isCurrent = false }
    radios = fresh
  }

  /// Reads everything anew. Returns whether the tables had drifted from the kernel's, or something
  /// else had changed that nothing told of.
  package func reconcile() -> Bool {
    openRadioDevice()
    if netlink?.events.isOpen == false { disconnect() }
    if netlink == nil, !connect() { return false }
    let oldRadios = radios
    let hasDrifted = reconcileTables()
    intake.table.doubtDevices()
    let hasNewServers = resolver.reload()
    return hasDrifted || hasNewServers || oldRadios != radios
  }

  private func reconcileTables() -> Bool {
    for _ in 0..<Self.dumpTries {
      _ = drain()
      var fresh = intake.table
      let (end, hasDrifted) = read(into: &fresh)
      if case .failed = end {
        isStale = true
        return false
      }
      // What differs may be a change whose event is still on its way: take that in and compare
      // again.
      if end == .complete, hasDrifted, drain() != .nothing { continue }
      adopt(fresh, end)
      return hasDrifted
    }
    isStale = true
    return true
  }
}
