/// SplitMix64 (Steele, Lea and Flood, 2014): a seed gives the same numbers on every machine and with every compiler,
/// which the standard library does not promise of its own bounded draws.
struct SeededNumbers {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var number = state
    number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
    number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
    return number ^ (number >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

  mutating func chance(_ part: Int, in whole: Int) -> Bool { below(whole) < part }
}
