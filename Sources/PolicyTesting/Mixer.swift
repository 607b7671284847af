/// Numbers that look random; the same seed gives the same ones everywhere (splitmix64).
struct Mixer {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// The seed of one run of a property.
  static func seed(_ seed: UInt64, run: Int) -> UInt64 {
    var mixer = Mixer(seed: seed &+ UInt64(clamping: run) &* 0x2545_F491_4F6C_DD1D)
    return mixer.next()
  }

  /// Puts the values into another order.
  mutating func shuffle<Value>(_ values: inout [Value]) {
    guard values.count > 1 else { return }
    for place in (1..<values.count).reversed() {
      values.swapAt(place, Int(next() % UInt64(place + 1)))
    }
  }
}
