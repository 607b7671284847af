/// The word of `words` that someone who wrote `word` most likely meant, or nil when none is near.
///
/// Near is an edit distance (insert, delete, replace, swap neighbours) of at most two, one for
/// words of up to three letters; failing that, a word that begins with what was written. Case does
/// not count. Of equally near words the first wins, so the answer depends on nothing but its
/// arguments.
package func nearestWord(to word: String, in words: [String]) -> String? {
  let written = Array(word.lowercased().unicodeScalars)
  guard !written.isEmpty, written.count <= longestWord else { return nil }

  let bound = written.count <= 3 ? 1 : 2
  var best: (word: String, distance: Int)?
  for candidate in words {
    let scalars = Array(candidate.lowercased().unicodeScalars)
    guard let distance = editDistance(written, scalars, bound: bound) else { continue }
    if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
  }
  if let best { return best.word }
  guard written.count >= 2 else { return nil }
  return words.first { $0.lowercased().unicodeScalars.starts(with: written) }
}

/// Longer input is no misspelt word, and comparing it would cost more than an answer is worth.
private let longestWord = 64

/// The number of edits between two words, or nil when it is more than `bound`.
private func editDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar], bound: Int) -> Int? {
  guard abs(a.count - b.count) <= bound else { return nil }
  // Rows of the usual table: the one being filled, the one above, and the one above that for swaps.
  var twoAbove: [Int] = []
  var above = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var edits = min(above[j + 1] + 1, row[j] + 1, above[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        edits = min(edits, twoAbove[j - 1] + 1)
      }
      row.append(edits)
    }
    twoAbove = above
    above = row
  }
  return above[b.count] <= bound ? above[b.count] : nil
}
