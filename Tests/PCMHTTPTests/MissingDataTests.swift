import BrowserSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOConcurrencyHelpers
import PCMStore
import Testing

/// A service whose data folder was moved or removed.
@Suite struct MissingDataTests {
  @Test(arguments: [
    (StoreError.missingFile(path: "/data/file"), "nothing was stored; move it back, or restart the service"),
    (.uncertainCommit(path: "/data/file"), "the change is stored where the folder is now, or lost; restart the service"),
    (.lostFile(path: "/data/file"), "during an earlier request, and nothing was stored; restart the service"),
  ])
  func writesAreProblemsThatSayWhatWasStored(_ error: StoreError, _ ending: String) async throws {
    let isMissing = NIOLockedValueBox(false)
    let observer = StoreObserver(willCall: { _ in if isMissing.withLockedValue({ $0 }) { throw error } })
    let router = try await API.router(store: ObservedStore(MemoryStore(), observer))
    try await Application(router: router).test(.router) { client in
      let api = API(client: client)
      isMissing.withLockedValue { $0 = true }
      for (method, path) in [(.get, "/readyz"), (.put, "/v1/browsers/other")] as [(HTTPRequest.Method, String)] {
        let answer = try await api.call(method, path)
        #expect(answer.status == 503)
        #expect(try answer.member("code") == "data-missing")
        let detail: String = try answer.member("detail")
        #expect(
          detail.hasPrefix("the data folder of the service was moved or removed") && detail.hasSuffix(ending), "\(detail)")
      }
    }
  }
}
