import BrowserSupport
import HTTPSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import PCMStore
import Testing

/// A service whose data folder was moved or removed.
@Suite struct MissingDataTests {
  @Test func theServiceIsNotReady() async throws {
    let store = ObservedStore(
      MemoryStore(),
      StoreObserver(willCall: { if $0 == "checkWritable()" { throw StoreError.missingFile(path: "/data/file") } }))
    try await Application(router: try await API.router(store: store)).test(.router) { client in
      let answer = try await API(client: client).call(.get, "/readyz")
      #expect(answer.status == 503)
      #expect(try answer.member("code") == "data-missing")
      #expect(
        try answer.member("detail")
          == "the data folder of the service was moved or removed; move it back, or restart the service")
    }
  }
}
