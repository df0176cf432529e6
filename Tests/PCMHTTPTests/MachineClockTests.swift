import BrowserSupport
import HTTPSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOConcurrencyHelpers
import PCMCore
import Testing

/// A machine whose clock is outside the years that a store accepts.
@Suite struct MachineClockTests {
  @Test(arguments: [Instant.latest + .days(30), Instant(milliseconds: -1)])
  func callsAreRefusedUntilTheClockIsRight(_ wrong: Instant) async throws {
    let wallClock = NIOLockedValueBox(Scene.start)
    let router = try await API.router(wallClock: { wallClock.withLockedValue { $0 } })
    try await Application(router: router).test(.router) { client in
      let api = API(client: client)
      #expect(try await api.call(.put, "/v1/browsers/real").status == 201)
      wallClock.withLockedValue { $0 = wrong }
      let calls: [(HTTPRequest.Method, String, String)] = [
        (.put, "/v1/browsers/other", ""), (.patch, "/v1/browsers/real", #"{"settings":{"debugMode":true}}"#),
      ]
      for (method, path, body) in calls {
        let answer = try await api.call(method, path, body)
        #expect(answer.status == 503, "\(path): \(answer)")
        #expect(try answer.member("code") == "unavailable")
        let detail: String = try answer.member("detail")
        #expect(detail.hasSuffix("nothing was stored; set the clock of the service's machine"), "\(detail)")
      }
      wallClock.withLockedValue { $0 = Scene.start + .seconds(1) }
      #expect(try await api.call(.patch, "/v1/browsers/real", #"{"settings":{"debugMode":true}}"#).status == 200)
      #expect(try await api.call(.get, "/v1/browsers/other").status == 404)
    }
  }
}
