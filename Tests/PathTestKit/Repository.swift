/// Where the project's own files are.
package enum Repository {
  /// An absolute path from one relative to the top of the repository.
  package static func path(_ relative: String, file: String = #filePath) -> String {
    let parts = file.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(3).joined(separator: "/") + "/" + relative
  }
}
