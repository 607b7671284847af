/// Turns a snapshot and a filter into the verdict: what path a program would get.
package enum PathEvaluator {
  package static func path(of snapshot: Snapshot, filter: PathFilter) -> Path {
    Path(status: .requiresConnection, reason: .unknown, why: "Nothing was read yet.")
  }
}
