import CSystemd
import PathActions
import PathCore

/// What the service manager shows of a run in one line (`systemctl status`), sd_notify(3). Without
/// a service manager it does nothing.
struct ServiceStatus {
  let isWanted = ActionSettings.ownEnvironment()["NOTIFY_SOCKET"] != nil
  private var told = ""

  /// Says it anew, if the fact changed it.
  mutating func note(_ fact: Fact, _ engine: Engine) {
    switch fact {
    case .snapshot, .policies: break
    default: return
    }
    guard let path = engine.path else { return }
    let line = Self.line(path, policies: engine.policyCount, rejected: engine.rejected.map(\.name))
    if line == told { return }
    told = line
    _ = unsafe sd_notify(0, "STATUS=\(line)")
  }

  static func line(_ path: Path, policies: Int, rejected: [String]) -> String {
    var parts = ["\(path.status.rawValue): \(path.why)"]
    parts.append(policies == 1 ? "1 policy" : "\(policies) policies")
    if !rejected.isEmpty { parts.append("not taken: \(LoadedPolicies.list(rejected))") }
    return LineText.escaped(parts.joined(separator: " | "))
  }
}
