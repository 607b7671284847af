/// Lines of a file, counted from 1.
package struct LineSet: Hashable, Sendable {
  private var flags: [Bool] = []

  package init() {}

  /// From a byte a line, not zero where the line is in the set.
  init(_ bytes: UnsafeBufferPointer<UInt8>) { unsafe flags = bytes.map { $0 != 0 } }

  package func contains(_ line: Int) -> Bool {
    line >= 1 && line <= flags.count && flags[line - 1]
  }

  package mutating func formUnion(_ other: LineSet) {
    if other.flags.count > flags.count {
      flags += [Bool](repeating: false, count: other.flags.count - flags.count)
    }
    for index in other.flags.indices where other.flags[index] { flags[index] = true }
  }

  /// In order.
  package var lines: [Int] { flags.indices.filter { flags[$0] }.map { $0 + 1 } }
  package var count: Int { flags.count { $0 } }
}
