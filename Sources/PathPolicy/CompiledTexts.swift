import LuaSandbox

/// Texts that many states load one after the other, as tests do. The first state reads the text,
/// with all its checks; for later ones it is compiled once, by this process, from just that text.
package final class CompiledTexts {
  /// By file, the last text of each; no form where a text cannot be compiled on its own.
  private var known: [String: (source: [UInt8], form: CompiledText?)] = [:]

  package init() {}

  /// Gives a state what is known of these texts.
  func give(_ script: PolicyScript, to state: LuaState) {
    if let form = form(script.file, script.source) { state.give(form) }
    for module in script.modules {
      if let form = form(module.file, module.source) { state.give(form) }
    }
  }

  /// A state loaded the script, so that others may have it compiled.
  func note(_ script: PolicyScript) {
    note(script.file, script.source)
    for module in script.modules { note(module.file, module.source) }
  }

  private func form(_ file: String, _ source: [UInt8]) -> CompiledText? {
    guard let known = known[file], known.source == source else { return nil }
    return known.form
  }

  private func note(_ file: String, _ source: [UInt8]) {
    if let known = known[file], known.source == source { return }
    known[file] = (source, CompiledText(file: file, source: source))
  }
}

/// One text with its compiled form, both at addresses that stay.
@safe final class CompiledText {
  let file: String
  private let source: UnsafeMutableBufferPointer<UInt8>
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private let fuel: Int64

  /// Nil for a text that does not compile.
  init?(file: String, source: [UInt8]) {
    guard let (bytes, fuel) = try? LuaState.compile(source, file: file) else { return nil }
    self.file = file
    self.fuel = fuel
    unsafe self.source = Self.copy(source)
    unsafe self.bytes = Self.copy(bytes)
  }

  deinit {
    unsafe source.deallocate()
    unsafe bytes.deallocate()
  }

  private static func copy(_ bytes: [UInt8]) -> UnsafeMutableBufferPointer<UInt8> {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = unsafe copy.initialize(from: bytes)
    return unsafe copy
  }

  /// The pointers in it hold while this object does.
  func withForm(_ body: (inout luasandbox_form) -> Void) {
    var form = unsafe luasandbox_form(
      source: source.baseAddress, source_length: source.count, bytes: bytes.baseAddress,
      length: bytes.count, fuel: fuel)
    unsafe body(&form)
  }
}
