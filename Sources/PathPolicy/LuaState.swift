import LuaSandbox
package import PathCore

/// Owns one sandbox. Not Sendable: one thread at a time, like the Lua state beneath.
@safe package final class LuaState {
  private let sandbox: OpaquePointer
  private var service: ((PlainValue) -> Answer)?
  /// The last answer of the service; Lua reads it where it lies.
  private var answer = PlainWriter()
  /// Compiled texts that the sandbox reads where they lie.
  private var forms: [CompiledText] = []

  /// A call that gave nothing.
  package struct Failure: Error {
    package var kind: PolicyFault.Kind
    package var file: String
    package var line: Int
    package var message: String
    package var fuelUsed: Int64 = 0
  }

  /// What a service says to a question.
  package enum Answer {
    case value(PlainData)
    case nothing
    /// The text of an error that is raised where the question was asked.
    case refused(String)
  }

  /// The trusted script that each state begins with, compiled once for all of them.
  package struct Prelude: Sendable {
    fileprivate let bytes: [UInt8]

    package init(_ source: [UInt8]) { bytes = (try? LuaState.compile(source).0) ?? source }
  }

  /// A state with the policies' prelude in it; throws only when there is no memory for one.
  convenience init(deadline: Duration?) throws(Failure) {
    try self.init(prelude: Self.prelude, deadline: deadline)
  }

  /// A state with a prelude in it; without a deadline only fuel ends a call.
  package init(
    prelude: Prelude, deadline: Duration? = nil, memoryBytes: Int = 0
  ) throws(Failure) {
    var limits = luasandbox_limits()
    limits.deadline_ns = deadline?.nanoseconds ?? -1
    limits.memory_bytes = max(0, memoryBytes)
    guard let sandbox = unsafe luasandbox_create(&limits) else {
      throw Failure(kind: .memory, file: "", line: 0, message: "no memory for a Lua state")
    }
    unsafe self.sandbox = sandbox
    try unsafe run { result in
      unsafe prelude.bytes.withUnsafeBufferPointer { source in
        unsafe luasandbox_boot(
          sandbox, Self.preludeFile, source.baseAddress, source.count, result)
      }
    }
  }

  /// What messages would name it.
  static let preludeFile = "prelude.lua"

  /// The prelude's table and files, one chunk when put together in this order.
  private static let prelude = Prelude(
    PolicyAPI.prelude + PackageResources.words_lua + PackageResources.errors_lua
      + PackageResources.checks_lua + PackageResources.loading_lua + PackageResources.verbs_lua
      + PackageResources.calling_lua)

  /// The bytes, and the fuel that loading the text takes.
  static func compile(
    _ source: [UInt8], file: String = preludeFile
  ) throws(Failure) -> ([UInt8], fuel: Int64) {
    var limits = luasandbox_limits()
    limits.deadline_ns = -1
    guard let sandbox = unsafe luasandbox_create(&limits) else {
      throw Failure(kind: .memory, file: "", line: 0, message: "no memory for a Lua state")
    }
    defer { unsafe luasandbox_destroy(sandbox) }
    var result = unsafe luasandbox_result()
    let status = unsafe source.withUnsafeBufferPointer { text in
      unsafe luasandbox_compile(sandbox, file, text.baseAddress, text.count, &result)
    }
    if status != LUASANDBOX_OK { throw unsafe failure(status, result) }
    let bytes = unsafe Array(UnsafeBufferPointer(start: result.bytes, count: result.length))
    return (bytes, unsafe result.fuel_used)
  }

  /// A text that an earlier state of this process loaded: loading it again is as before, but quick.
  func give(_ form: CompiledText) {
    forms.append(form)
    unsafe form.withForm { unsafe luasandbox_give_form(sandbox, form.file, &$0) }
  }

  deinit { unsafe luasandbox_destroy(sandbox) }

  /// Makes `require "name"` find this text.
  package func add(module: String, file: String, source: [UInt8]) {
    _ = unsafe source.withUnsafeBufferPointer { bytes in
      unsafe luasandbox_add_module(sandbox, module, file, bytes.baseAddress, bytes.count)
    }
  }

  /// Loads a script with its modules; what `texts` know of them is not compiled again.
  package func load(
    _ script: PolicyScript, fuel: Int64, texts: CompiledTexts? = nil
  ) throws(Failure) {
    for module in script.modules {
      add(module: module.name, file: module.file, source: module.source)
    }
    texts?.give(script, to: self)
    try load(file: script.file, source: script.source, fuel: fuel)
    texts?.note(script)
  }

  /// Compiles and runs an untrusted chunk.
  package func load(file: String, source: [UInt8], fuel: Int64) throws(Failure) {
    try unsafe run { result in
      unsafe source.withUnsafeBufferPointer { bytes in
        unsafe luasandbox_load(sandbox, file, bytes.baseAddress, bytes.count, fuel, result)
      }
    }
  }

  /// Hands a request to the prelude; `read` is given what came back, and the fuel it took.
  func call<Outcome>(
    _ request: borrowing PlainWriter, fuel: Int64,
    read: (UnsafeRawBufferPointer, _ fuelUsed: Int64) -> Outcome
  ) throws(Failure) -> Outcome {
    var result = unsafe luasandbox_result()
    let status = unsafe request.withBytes { bytes in
      unsafe luasandbox_call(sandbox, bytes.baseAddress, bytes.count, fuel, &result)
    }
    if status != LUASANDBOX_OK { throw unsafe Self.failure(status, result) }
    return unsafe read(
      UnsafeRawBufferPointer(start: result.bytes, count: result.length), result.fuel_used)
  }

  /// Hands a request to the prelude; the two values that it returned.
  package func values(
    _ request: borrowing PlainWriter, fuel: Int64
  ) throws(Failure) -> (PlainValue, PlainValue) {
    let both = try unsafe call(request, fuel: fuel) { bytes, _ in
      PlainReader.decode(PlainData(bytes: unsafe Array(bytes)))?.elements ?? []
    }
    return (both.first ?? .null, both.count > 1 ? both[1] : .null)
  }

  /// Who answers the prelude's `host.ask`, one question after the other; it must not call this
  /// state meanwhile. The question is the list of what was asked.
  package func serve(_ service: @escaping (PlainValue) -> Answer) {
    self.service = service
    unsafe luasandbox_set_service(
      sandbox,
      { context, bytes, length, reply in
        guard let context = unsafe context, let reply = unsafe reply else { return false }
        let state = unsafe Unmanaged<LuaState>.fromOpaque(context).takeUnretainedValue()
        let question = unsafe Array(UnsafeBufferPointer(start: bytes, count: length))
        let isGood = state.answer(PlainData(bytes: question))
        unsafe state.answer.withBytes { answer in
          unsafe reply.pointee.bytes = answer.baseAddress
          unsafe reply.pointee.length = answer.count
        }
        return isGood
      }, unsafe Unmanaged.passUnretained(self).toOpaque())
  }

  /// Writes the answer; whether it is none that refuses.
  private func answer(_ question: PlainData) -> Bool {
    answer.clear()
    guard let service, let question = PlainReader.decode(question) else {
      answer.raw(Array("the question could not be read".utf8))
      return false
    }
    switch service(question) {
    case .value(let data): answer.raw(data)
    case .nothing: answer.null()
    case .refused(let text):
      answer.raw(Array(text.utf8))
      return false
    }
    return true
  }

  // MARK: Lines

  /// From now on it is noted which lines of this file run.
  func noteLines(of file: String) { _ = unsafe luasandbox_note_lines(sandbox, file) }

  /// The lines that ran, of the file that `noteLines` named.
  var ranLines: LineSet {
    var start: UnsafePointer<UInt8>?
    let count = unsafe luasandbox_ran_lines(sandbox, &start)
    return unsafe LineSet(UnsafeBufferPointer(start: start, count: count))
  }

  /// The lines of a script that have something to run.
  package static func codeLines(
    file: String, source: [UInt8]
  ) throws(Failure) -> LineSet {
    let state = try LuaState(prelude: prelude)
    var lines = [UInt8](repeating: 0, count: source.count { $0 == UInt8(ascii: "\n") } + 1)
    try unsafe state.run { result in
      unsafe source.withUnsafeBufferPointer { text in
        unsafe lines.withUnsafeMutableBufferPointer { lines in
          unsafe luasandbox_code_lines(
            state.sandbox, file, text.baseAddress, text.count, lines.baseAddress, lines.count,
            result)
        }
      }
    }
    return unsafe lines.withUnsafeBufferPointer { unsafe LineSet($0) }
  }

  private func run(
    _ body: (UnsafeMutablePointer<luasandbox_result>) -> luasandbox_status
  ) throws(Failure) {
    var result = unsafe luasandbox_result()
    let status = unsafe body(&result)
    if status != LUASANDBOX_OK { throw unsafe Self.failure(status, result) }
  }

  private static func failure(_ status: luasandbox_status, _ result: luasandbox_result) -> Failure {
    let bytes = unsafe UnsafeBufferPointer(start: result.bytes, count: result.length)
    let file = unsafe withUnsafeBytes(of: result.file) { name in
      unsafe String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    }
    return unsafe Failure(
      kind: kind(of: status), file: file, line: Int(result.line),
      message: String(decoding: bytes, as: UTF8.self), fuelUsed: result.fuel_used)
  }

  private static func kind(of status: luasandbox_status) -> PolicyFault.Kind {
    switch status {
    case LUASANDBOX_FUEL: .fuel
    case LUASANDBOX_DEADLINE: .deadline
    case LUASANDBOX_MEMORY: .memory
    case LUASANDBOX_SYNTAX: .load
    case LUASANDBOX_DATA: .data
    default: .error
    }
  }

  /// The patch release of Lua.
  static var release: String { unsafe String(cString: luasandbox_lua_release()) }

  /// Bytes that all states of this process hold.
  static var liveBytes: Int { luasandbox_live_bytes() }

  /// States that were closed and did not give back exactly what they had taken.
  static var unbalanced: Int { luasandbox_unbalanced() }
}
