import PCMCore
import PCMStore
import Testing

extension Store {
  /// The state in a reader, after a check that a writer sees the same.
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

/// The error of a body that is to be rolled back.
struct Refusal: Error, Equatable {
  let number: Int

  init(_ number: Int = 0) {
    self.number = number
  }
}

extension SplitMix64 {
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
