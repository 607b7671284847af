import LuaSandbox
import PathCore

/// Owns one sandbox. Not Sendable: one thread at a time, like the Lua state beneath.
@safe final class LuaState {
  private let sandbox: OpaquePointer

  /// A call that gave nothing.
  struct Failure: Error {
    var kind: PolicyFault.Kind
    var file: String
    var line: Int
    var message: String
    var fuelUsed: Int64 = 0
  }

  /// A state with the prelude in it; throws only when there is no memory for one.
  init(deadline: Duration?) throws(Failure) {
    var limits = luasandbox_limits()
    limits.deadline_ns = deadline?.nanoseconds ?? -1
    guard let sandbox = unsafe luasandbox_create(&limits) else {
      throw Failure(kind: .memory, file: "", line: 0, message: "no memory for a Lua state")
    }
    unsafe self.sandbox = sandbox
    try unsafe run { result in
      unsafe Self.prelude.withUnsafeBufferPointer { source in
        unsafe luasandbox_boot(
          sandbox, "prelude.lua", source.baseAddress, source.count, result)
      }
    }
  }

  /// The prelude's files, one chunk when put together in this order.
  private static let prelude: [UInt8] =
    PackageResources.words_lua + PackageResources.errors_lua + PackageResources.checks_lua
    + PackageResources.loading_lua + PackageResources.verbs_lua + PackageResources.calling_lua

  deinit { unsafe luasandbox_destroy(sandbox) }

  /// Makes `require "name"` find this text.
  func add(module: String, file: String, source: [UInt8]) {
    _ = unsafe source.withUnsafeBufferPointer { bytes in
      unsafe luasandbox_add_module(sandbox, module, file, bytes.baseAddress, bytes.count)
    }
  }

  /// Compiles and runs an untrusted chunk.
  func load(file: String, source: [UInt8], fuel: Int64) throws(Failure) {
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
