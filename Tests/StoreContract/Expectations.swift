import PCMStore
import Testing

extension Store {
  /// What a reader sees, after making sure that a writer sees the same.
  func seen<Answer: Sendable & Equatable>(
    _ browser: BrowserID, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable (any BrowserReader) throws -> Answer
  ) async throws -> Answer {
    let reader = try await read(browser, body)
    let writer = try await write(browser) { try body($0) }
    #expect(reader == writer, "a reader and a writer see different things", sourceLocation: sourceLocation)
    return reader
  }
}

/// Expects this very error.
func expect(
  _ expected: StoreError, sourceLocation: SourceLocation = #_sourceLocation, from body: () async throws -> Void
) async {
  await #expect(throws: expected, sourceLocation: sourceLocation) { try await body() }
}

/// What a body throws to be rolled back.
struct Refusal: Error, Equatable {
  let number: Int

  init(_ number: Int = 0) {
    self.number = number
  }
}

/// SplitMix64, so that a failure can be repeated from its seed.
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
}
