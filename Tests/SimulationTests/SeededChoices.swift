import PCMCore

/// Choices of a run, all from its seed.
extension SplitMix64 {
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

  mutating func chance(_ part: Int, in whole: Int) -> Bool { below(whole) < part }
}
