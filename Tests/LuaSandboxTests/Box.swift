import LuaSandbox
import Testing

/// A sandbox with a prelude of a few lines: `chunk.on_start` is the handler.
final class Box {
  struct Outcome {
    var status: luasandbox_status
    var bytes: [UInt8]
    var file: String
    var line: Int
    var fuel: Int64
    var memory: Int

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// What the dispatcher returned first.
    var value: Plain? { parts.first ?? Plain(bytes: bytes) }
    /// What it decided.
    var decisions: Plain? { parts.last }

    private var parts: [Plain] {
      if case .array(let parts) = Plain(bytes: bytes), parts.count == 3 { parts } else { [] }
    }
  }

  static let prelude = """
    local host = ...
    host.env.host = host
    return function(input)
      local chunk = host.chunk
      if type(chunk) == "table" and chunk.on_start then return chunk.on_start(input, input) end
      if type(chunk) == "function" then return chunk(input) end
      return chunk
    end
    """

  /// The same, with nothing of the host's within reach of scripts.
  static let closedPrelude = """
    local host = ...
    return function(input)
      local chunk = host.chunk
      if type(chunk) == "table" and chunk.on_start then return chunk.on_start({}, {}) end
      return nil
    end
    """

  let raw: OpaquePointer
  private(set) var booted: Outcome?

  /// Without a deadline: tests are bounded by fuel, which no slow machine changes.
  init(
    memory: Int = 0, block: Int = 0, deadline: Int64 = -1, source: Int = 0, result: Int = 0,
    prelude: String? = Box.prelude
  ) throws {
    var limits = luasandbox_limits(
      memory_bytes: memory, block_bytes: block, deadline_ns: deadline, source_bytes: source,
      result_bytes: result)
    raw = try #require(luasandbox_create(&limits))
    if let prelude { booted = boot(prelude) }
  }

  deinit { luasandbox_destroy(raw) }

  func boot(_ text: String) -> Outcome {
    run { [raw] in luasandbox_boot(raw, "prelude.lua", $0, $1, &$2) }(Array(text.utf8))
  }

  func load(_ text: String, file: String = "policy.lua", fuel: Int64 = 5_000_000) -> Outcome {
    load(Array(text.utf8), file: file, fuel: fuel)
  }

  func load(_ text: [UInt8], file: String = "policy.lua", fuel: Int64 = 5_000_000) -> Outcome {
    run { [raw] in luasandbox_load(raw, file, $0, $1, fuel, &$2) }(text)
  }

  func call(_ input: Plain = .null, fuel: Int64 = 1_000_000) -> Outcome {
    call(bytes: input.bytes, fuel: fuel)
  }

  /// Calls as a handler is called, with one argument.
  func call(seed: Int64, _ input: Plain, fuel: Int64 = 1_000_000) -> Outcome {
    run { [raw] in luasandbox_call(raw, $0, $1, fuel, &$2) }(
      Plain.array([.integer(seed), input]).bytes)
  }

  func call(arguments: [Plain], fuel: Int64 = 1_000_000) -> Outcome {
    run { [raw] in luasandbox_call(raw, $0, $1, fuel, &$2) }(Plain.array(arguments).bytes)
  }

  /// Calls with the one argument that the bytes are.
  func call(bytes: [UInt8], fuel: Int64 = 1_000_000) -> Outcome {
    run { [raw] in luasandbox_call(raw, $0, $1, fuel, &$2) }([6, 1, 0, 0, 0] + bytes)
  }

  func addModule(_ name: String, _ text: String) -> luasandbox_status {
    let bytes = Array(text.utf8)
    return luasandbox_add_module(raw, name, "lib/\(name).lua", bytes, bytes.count)
  }

  /// Loads a chunk and calls what it returns: the outcome of whichever failed, or of the call.
  func evaluate(_ text: String, _ input: Plain = .null, fuel: Int64 = 1_000_000) -> Outcome {
    let loaded = load(text)
    return loaded.status == LUASANDBOX_OK ? call(input, fuel: fuel) : loaded
  }

  private typealias Entry = (UnsafePointer<UInt8>?, Int, inout luasandbox_result)
    -> luasandbox_status

  private func run(_ entry: @escaping Entry) -> ([UInt8]) -> Outcome {
    { bytes in
      var result = luasandbox_result()
      let status = bytes.withUnsafeBufferPointer { entry($0.baseAddress, $0.count, &result) }
      let file = withUnsafeBytes(of: result.file) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      return Outcome(
        status: status,
        bytes: Array(UnsafeBufferPointer(start: result.bytes, count: result.length)),
        file: file, line: Int(result.line), fuel: result.fuel_used, memory: result.memory_used)
    }
  }
}
