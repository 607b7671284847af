import PathCore

/// A policy in its Lua state, made anew after each fault: what a failed handler left in memory is
/// gone with it.
final class LoadedPolicy {
  let script: PolicyScript
  let settings: PolicySettings
  private(set) var declaration: PolicyDeclaration
  private var lua: LuaState
  /// What `ctx.state` holds between calls.
  private(set) var state: PlainData
  /// The `version` that the state is of.
  private(set) var stateVersion: Int64
  /// Whether the Lua state has yet to be given `state`.
  private var owesState = false
  private(set) var fuelUsed: Int64 = 0
  private var encoder: RequestEncoder
  private let migrates: Bool
  private let texts: CompiledTexts?
  /// Of Lua states that are gone.
  private var earlierLines = LineSet()

  /// Loads and validates; the fault says where and what was expected.
  init(
    script: PolicyScript, settings: PolicySettings, paths: PathBytes, texts: CompiledTexts? = nil
  ) throws(PolicyFault) {
    self.script = script
    self.settings = settings
    self.texts = texts
    encoder = RequestEncoder(paths: paths)
    (lua, declaration, migrates) = try Self.load(script, settings, texts)
    state = declaration.state
    stateVersion = declaration.version
  }

  /// The lines that ran; none unless the settings say that they are noted.
  var ranLines: LineSet {
    var lines = earlierLines
    if settings.notesLines { lines.formUnion(lua.ranLines) }
    return lines
  }

  /// Goes on with the lines of the version before, if its text is the same.
  func inheritLines(of old: LoadedPolicy) {
    if settings.notesLines, old.script == script { earlierLines = old.ranLines }
  }

  /// Whether some handler made the state what it is.
  var hasOwnState: Bool { state != declaration.state }

  /// Takes over what another text of this policy kept. If that was of an older version and there is
  /// a `migrate`, it is asked what becomes of it; its answer is returned.
  func take(over old: PlainData, version: Int64) throws(PolicyFault) -> PlainData? {
    guard version < declaration.version, migrates else {
      adopt(state: old)
      stateVersion = max(version, declaration.version)
      return nil
    }
    do throws(LuaState.Failure) {
      var request = PlainWriter()
      request.array(3)
      request.text("migrate")
      request.raw(old)
      request.integer(version)
      let state = try unsafe lua.call(request, fuel: settings.loadFuel) { bytes, _ in
        unsafe OutcomeDecoder.value(bytes)
      }
      guard let state else {
        throw LuaState.Failure(
          kind: .data, file: script.file, line: 1, message: "what migrate returns is not readable")
      }
      adopt(state: state)
      return state
    } catch {
      throw Self.fault(error, script, nil)
    }
  }

  /// As it was when it had been loaded, with nothing taken over.
  func startAgain() {
    reset(state: declaration.state)
    stateVersion = declaration.version
  }

  private func adopt(state: PlainData) {
    self.state = state
    owesState = true
  }

  func call(_ request: HandlerRequest) -> HandlerReply {
    let handler = request.event.handler
    do throws(LuaState.Failure) {
      encoder.encode(request, state: owesState ? state : nil)
      let reply = try unsafe lua.call(encoder.writer, fuel: settings.callFuel) {
        bytes, fuelUsed in
        self.fuelUsed = fuelUsed
        return unsafe OutcomeDecoder.decode(bytes, fuelUsed: fuelUsed)
      }
      owesState = false
      guard let reply else {
        return .failed(
          PolicyFault(
            policy: script.name, handler: handler, kind: .data, file: script.file, line: 1,
            message: "the decision could not be read"))
      }
      encoder.note(reply)
      if let changed = reply.state { state = changed }
      return .done(reply)
    } catch {
      fuelUsed = error.fuelUsed
      return .failed(Self.fault(error, script, handler))
    }
  }

  /// A fresh Lua state. The text loaded before, so it loads again, unless memory is short.
  func reset(state: PlainData) {
    if settings.notesLines { earlierLines = ranLines }
    if let (fresh, _, _) = try? Self.load(script, settings, texts) { lua = fresh }
    encoder.forget()
    adopt(state: state)
  }

  private static func load(
    _ script: PolicyScript, _ settings: PolicySettings, _ texts: CompiledTexts?
  ) throws(PolicyFault) -> (LuaState, PolicyDeclaration, migrates: Bool) {
    do throws(LuaState.Failure) {
      let lua = try LuaState(deadline: settings.deadline)
      if settings.notesLines { lua.noteLines(of: script.file) }
      guard !script.source.isEmpty else {
        throw LuaState.Failure(
          kind: .load, file: script.file, line: 1,
          message: "the file is empty: it is being written, or was cut off")
      }
      try lua.load(script, fuel: settings.loadFuel, texts: texts)
      var request = PlainWriter()
      request.array(3)
      request.text("describe")
      request.raw(settings.config)
      request.text(settings.place)
      let described = try unsafe lua.call(request, fuel: settings.loadFuel) { bytes, _ in
        unsafe OutcomeDecoder.value(bytes)
      }
      guard let described, let declaration = DeclarationDecoder.decode(described, script.name)
      else {
        throw LuaState.Failure(
          kind: .data, file: script.file, line: 1, message: "the policy table could not be read")
      }
      return (lua, declaration, DeclarationDecoder.migrates(described))
    } catch {
      throw fault(error, script, nil)
    }
  }

  private static func fault(
    _ failure: LuaState.Failure, _ script: PolicyScript, _ handler: Handler?
  ) -> PolicyFault {
    // A line of the prelude tells a policy's author nothing, and some faults have none: a text that
    // is nested too deeply to be parsed, or no memory for a state.
    let isPlaced =
      !failure.file.isEmpty && failure.file != LuaState.preludeFile && failure.line > 0
    return PolicyFault(
      policy: script.name, handler: handler, kind: handler == nil ? .load : failure.kind,
      file: isPlaced ? failure.file : script.file, line: isPlaced ? failure.line : 1,
      message: failure.message)
  }
}
