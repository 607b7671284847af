import Glibc

/// Calls `body` with the texts as an array of C strings that ends with a null pointer.
package func withVector<Result>(
  _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var vector = unsafe texts.map { unsafe strdup($0) }
  unsafe vector.append(nil)
  defer { unsafe vector.forEach { unsafe free($0) } }
  return unsafe vector.withUnsafeBufferPointer { unsafe body($0.baseAddress!) }
}

/// Calls `body` with the text as a C string, or with a null pointer.
func withOptionalCString<Result>(
  _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
) -> Result {
  guard let text else { return body(nil) }
  return unsafe text.withCString { unsafe body($0) }
}
