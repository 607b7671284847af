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

  /// Does the work and says what it measured; throws when it cannot.
  static func run(_ size: Size) throws(WorkloadError) -> [Figure]
}

/// A workload that could not be run, and what would help.
struct WorkloadError: Error {
  var message: String
}

/// One measured number, and the bound it is held to where there is one.
struct Figure {
  var name: String
  var value: Double
  var unit: String
  /// What it is compared with, such as "floor 214 µs, 1.31x".
  var note: String = ""
}

/// FNV-1a over whatever a workload gave: printed, so that nothing is optimised away and two runs can
/// be compared.
struct ResultHash {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ number: Int) {
    for shift in stride(from: 0, to: 64, by: 8) {
      value = (value ^ (UInt64(bitPattern: Int64(number)) >> UInt64(shift) & 255))
        &* 0x100_0000_01B3
    }
  }
}
