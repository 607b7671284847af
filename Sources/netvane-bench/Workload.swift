/// How much to do: `small` proves that it works, `full` measures.
enum Size: String {
  case small, full
}

/// One thing that is measured.
protocol Workload {
  /// The word on the command line.
  static var name: String { get }
  /// One line for the list of workloads.
  static var about: String { get }
  /// Whether it changes links and routes, and so wants a network of its own to do it in.
  static var needsNetwork: Bool { get }

  /// Does the work and says what it measured; throws when it cannot.
  static func run(_ size: Size) throws(WorkloadError) -> [Figure]
}

/// A workload that could not be run, and what would help.
struct WorkloadError: Error {
  var message: String

  init(message: String) { self.message = message }

  /// A system call that failed; the code is errno.
  init(_ call: String, code: Int32) {
    message = "\(call): \(errorText(code))"
  }
}

/// One measured number, what it is compared with and the bound it is held to, where there are any.
struct Figure {
  enum Goal {
    case atMost(Double)
    case atLeast(Double)
    /// So many times the floor.
    case ratioAtMost(Double)
  }

  var name: String
  var value: Double
  var unit: String
  /// The least that the same work could take, measured in the same run.
  var floor: Double?
  var goal: Goal?
  var note: String = ""

  var ratio: Double? {
    guard let floor, floor > 0 else { return nil }
    return value / floor
  }

  /// Nil where there is no goal.
  var isReached: Bool? {
    switch goal {
    case nil: nil
    case .atMost(let bound): value <= bound
    case .atLeast(let bound): value >= bound
    case .ratioAtMost(let bound): ratio.map { $0 <= bound } ?? false
    }
  }

  /// The columns of its line, separated by tabs.
  func line(_ workload: String) -> String {
    var columns = [workload, name, "\(Self.text(value)) \(unit)"]
    columns.append(floor.map { "floor \(Self.text($0))" } ?? "")
    columns.append(ratio.map { "\(Self.text($0))x" } ?? "")
    switch goal {
    case nil: columns.append("")
    case .atMost(let bound): columns.append("goal <= \(Self.text(bound))")
    case .atLeast(let bound): columns.append("goal >= \(Self.text(bound))")
    case .ratioAtMost(let bound): columns.append("goal <= \(Self.text(bound))x")
    }
    columns.append(isReached.map { $0 ? "ok" : "missed" } ?? "")
    columns.append(note)
    while columns.last == "" { columns.removeLast() }
    return columns.joined(separator: "\t")
  }

  /// Three digits are more than any of these is good for.
  private static func text(_ value: Double) -> String {
    let size = value.magnitude
    if size >= 100 || value == value.rounded() { return "\(Int(clamping: value))" }
    let scale = size >= 10 ? 10.0 : size >= 1 ? 100.0 : 1000.0
    return "\((value * scale).rounded() / scale)"
  }
}

extension Int {
  fileprivate init(clamping value: Double) {
    self = Int(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
  }
}

/// FNV-1a over whatever a workload gave: printed, so that nothing is optimised away and two runs
/// can be compared.
struct ResultHash {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ number: Int) {
    for shift in stride(from: 0, to: 64, by: 8) {
      value =
        (value ^ (UInt64(bitPattern: Int64(number)) >> UInt64(shift) & 255))
        &* 0x100_0000_01B3
    }
  }
}
