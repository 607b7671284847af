import PolicyTesting

/// What `test` is told.
extension ArgumentParser {
  func testOptions(_ directory: String?) throws(UsageError) -> TestOptions {
    var options = TestOptions(directory: directory)
    options.choice.pattern = values[.only]
    options.choice.stopsAtFailure = values[.failFast] != nil
    options.choice.shuffleSeed = try number(.shuffle)
    if let seed = try number(.seed) { options.choice.seed = seed }
    options.lists = values[.list] != nil
    options.showsCoverage = values[.coverage] != nil
    options.lcov = values[.lcov]
    options.benches = values[.bench] != nil
    options.watches = values[.watch] != nil
    options.mutates = values[.mutate] != nil
    if let least = try number(.coverageMin) {
      guard least <= 100 else {
        throw error("\(Flag.Name.coverageMin.typed) takes a number from 0 to 100, not \(least)")
      }
      options.coverageLeast = Int(least)
    }
    if let text = values[.format] {
      guard let format = TestFormat(rawValue: text) else {
        let words = TestFormat.allCases.map(\.rawValue)
        let near = Self.didYouMean(text, words)
        throw error(
          "\(quoted(text)) is no format"
            + (near.isEmpty ? "; one of \(words.joined(separator: ", ")) was expected" : near))
      }
      options.format = format
    }
    return options
  }

  /// A whole number; one below zero counts too, since tests may say such a seed.
  private func number(_ flag: Flag.Name) throws(UsageError) -> UInt64? {
    guard let text = values[flag] else { return nil }
    if let number = UInt64(text) { return number }
    if let number = Int64(text) { return UInt64(bitPattern: number) }
    throw error("\(flag.typed) takes a whole number, not \(quoted(text))")
  }
}
