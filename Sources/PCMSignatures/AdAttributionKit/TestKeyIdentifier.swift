/// The identifiers of the test keys in `Fixtures/device/keys`, one for each key of Apple. No receiver in production knows them.
package enum TestKeyIdentifier: String, Hashable, Sendable, CaseIterable {
  case production = "test-cas-identifier/0"
  case development0 = "test-development-identifier/0"
  case development1 = "test-development-identifier/1"
}
