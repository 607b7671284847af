import struct Network.NWPath

/// A file that imports one type alone.
struct Verdict: Sendable {
  let isUsable: Bool

  init(_ path: NWPath) {
    isUsable = path.status != .unsatisfied
  }
}
