import BrowserSupport
import HTTPSupport
import HTTPTypes
import PCMCore
import PCMCrypto
import PCMNetwork

/// Calls that use everything that a browser has, in an order in which each succeeds.
enum FailureStory {
  struct Step: Sendable, CustomStringConvertible {
    let method: HTTPRequest.Method
    let path: String
    var body = ""
    var type = "application/json"
    var key: String?
    /// The expected status.
    var status = 200
    /// The status that a call may also have after a failure, for example as the repetition of an attempt that took effect; nil
    /// for none.
    var statusAgain: Int?
    /// Whether the call has several transactions, so that a refused call may have had an effect.
    var isCompound = false

    var description: String { "\(method) \(path)" }
  }

  static let browser = "/v1/browsers/loop"
  static let device = "/v1/devices/phone"
  /// The number of the shop whose reports are retried.
  static let reliable = 6

  private static let nonce = "ABCDEFabcdef0123456789"
  private static let path = "/.well-known/private-click-measurement/trigger-attribution"

  private static func tap(_ number: Int, _ more: String = "", key: String? = nil) -> Step {
    Step(
      method: .post, path: "\(browser)/event-attributions",
      body: """
        {"bundleIdentifier":"com.example.news","sourceIdentifier":\(number),\
        "destinationURL":"https://shop\(number).example/"\(more)}
        """, key: key, status: 201)
  }

  private static func link(_ number: Int, _ more: String = "") -> Step {
    Step(
      method: .post, path: "\(browser)/link-clicks",
      body: """
        {"pageURL":"https://news.example/","attributionSourceID":"\(number)",\
        "attributionDestination":"https://shop\(number).example"\(more)}
        """, status: 201)
  }

  private static func trigger(_ number: Int, _ query: String = "", _ more: String = "", key: String? = nil) -> Step {
    let data = number < 10 ? "0\(number)" : "\(number)"
    return Step(
      method: .post, path: "\(browser)/triggering-events",
      body: """
        {"firstPartyURL":"https://shop\(number).example/","redirect":{"from":"https://news.example/",\
        "to":"https://news.example\(path)/\(data)/03\(query)"}\(more)}
        """, key: key, status: 201, isCompound: !query.isEmpty)
  }

  /// The repetition of an interrupted move with its key is a conflict.
  private static func advance(_ move: String, key: String? = nil) -> Step {
    Step(
      method: .post, path: "\(browser)/clock/advance", body: "{\(move)}", key: key, statusAgain: key == nil ? nil : 409,
      isCompound: true)
  }

  private static func change(_ settings: String) -> Step {
    Step(method: .patch, path: browser, body: #"{"settings":{\#(settings)}}"#)
  }

  private static func get(_ path: String) -> Step { Step(method: .get, path: browser + path) }

  /// Up to the point at which everything is still there.
  static let life: [Step] = [
    Step(
      method: .put, path: browser, body: #"{"seed":"1","clock":{"mode":"manual","start":"2026-11-20T10:00:00.000Z"}}"#,
      status: 201),
    Step(
      method: .put, path: "\(browser)/apps/com.example.news", body: #"{"reportEndpoint":"https://news.example"}"#),
    tap(1, key: "tap"), tap(2), tap(3, #","presentation":"safariViewController""#),
    tap(4, #","sourceNonce":"\#(nonce)""#), link(5), link(6, #","attributionSourceNonce":"\#(nonce)""#), tap(7),
    tap(8, #","tapVerified":false"#),
    trigger(3, "", #","bundleIdentifier":"com.example.news""#), trigger(1, key: "trigger"),
    trigger(4, "?attributionDestinationNonce=\(nonce)"), trigger(9),
    Step(
      method: .post, path: "\(browser)/loads",
      body: #"{"firstPartyURL":"https://shop2.example/","url":"https://news.example/pixel"}"#, key: "load", statusAgain: 409,
      isCompound: true),
    get(""), get("/clicks"), get("/triggering-events"), get("/attributions"), get("/explain?about=shop1.example"),
    advance(#""by":"PT3H""#, key: "advance"), trigger(5), advance(#""toNextEvent":true"#), advance(#""by":"P3D""#),
    change(#""deliveryPolicy":"reliable""#), trigger(reliable), advance(#""by":"P3D""#), change(#""deliveryPolicy":"webkit""#),
    change(#""privateBrowsing":true"#), tap(10), trigger(10), change(#""privateBrowsing":false"#), tap(11), trigger(11),
    Step(
      method: .put, path: "\(browser)/sites/news.example", body: #"{"report":[{"status":503}]}"#, status: 201, statusAgain: 200),
    Step(method: .put, path: "\(browser)/network", body: #"{"mode":"simulated"}"#),
    advance(#""untilIdle":true"#),
    get("/reports"), get("/reports?site=shop1.example"), get("/messages"), get("/explain?about=news.example"),
    get("/events?about=shop4.example"), get("/events?include=decision&limit=1000"),
    Step(method: .get, path: "\(browser)/scenario", statusAgain: 409),
    Step(method: .put, path: "\(browser)/network", body: #"{"mode":"real"}"#),
    Step(method: .delete, path: "\(browser)/sites/news.example", status: 204, statusAgain: 404),
    Step(method: .post, path: "\(browser)/expectations", body: #"{"report":{"recipient":"source"}}"#),
    Step(
      method: .post, path: "\(browser)/forks", body: #"{"name":"fork"}"#, key: "fork", status: 201),
    Step(method: .get, path: "/v1/browsers"), Step(method: .get, path: "/readyz"),
  ]

  /// The same for the device of another browser. The path of a call contains `{id}` for the name that the latest created
  /// record has.
  static func lifeOfDevice() throws -> [Step] {
    func send(
      _ method: HTTPRequest.Method, _ path: String, _ body: String = "", key: String? = nil, status: Int = 201,
      isCompound: Bool = false
    ) -> Step {
      Step(method: method, path: device + path, body: body, key: key, status: status, isCompound: isCompound)
    }
    func advance(_ move: String) -> Step { send(.post, "/clock/advance", "{\(move)}", status: 200, isCompound: true) }
    func get(_ path: String) -> Step { send(.get, path, status: 200) }
    let parties =
      [send(.put, "/ad-networks/\(DeviceAds.network)", DeviceAds.registration(at: postbackURL), status: 200)]
      + DeviceAds.apps.map { send(.put, "/apps/\($0.bundleIdentifier)", $0.registration, status: 200) }
    return [
      send(.put, "", #"{"seed":"2","clock":{"mode":"manual","start":"2026-11-20T10:00:00.000Z"}}"#),
      send(.patch, "", #"{"device":{"country":"DE"}}"#, status: 200),
    ] + parties + [
      send(.post, "/impressions", try DeviceAds.ad(fidelity: .viewThrough)), advance(#""by":"PT3S""#),
      send(.post, "/impressions/{id}/end", status: 200),
      send(.post, "/impressions", try DeviceAds.ad(), key: "ad"),
      send(.post, "/impressions", #"{"bundleIdentifier":"com.example.news","jws":"x"}"#),
      send(.post, "/impressions", try DeviceAds.jws(reengagement: true)), advance(#""by":"PT3S""#),
      send(.post, "/impressions/{id}/tap", "{}", status: 200), get("/impressions"),
      send(.post, "/installs", DeviceAds.install, key: "install"), send(.post, "/launches", DeviceAds.install),
      send(.post, "/conversion-values", DeviceAds.value(), key: "value"), get("/installs"), get("/explain?about={id}"),
      advance(#""by":"P4D""#), send(.post, "/conversion-values", DeviceAds.value(#""coarseValue":"high""#)),
      send(.post, "/impressions", try DeviceAds.jws(reengagement: true)),
      send(
        .post, "/impressions/{id}/tap", #"{"reengagementURL":"https://shop.example/sale","universalLink":true}"#, status: 200),
      advance(#""untilIdle":true"#), get("/postbacks?include=body"), get("/events?include=decision&limit=1000"),
      send(.post, "/clock/advance", #"{"by":"P30D"}"#, status: 200, isCompound: true), get("/keys"), get("/ad-networks"),
      Step(method: .post, path: "/v1/browsers/phone/forks", body: #"{"name":"second-phone"}"#, key: "second-fork", status: 201),
    ]
  }

  static let postbackURL = "https://ads.example/postbacks"

  /// Everything is removed.
  static let death: [Step] = [
    Step(method: .delete, path: "\(device)/ad-networks/\(DeviceAds.network)", status: 204, statusAgain: 404),
    Step(method: .delete, path: "\(device)/data", status: 204),
    Step(method: .delete, path: "/v1/devices/second-phone", status: 204, statusAgain: 404),
    Step(method: .delete, path: device, status: 204, statusAgain: 404),
    Step(method: .delete, path: "\(browser)/data?site=shop7.example", status: 204),
    Step(method: .delete, path: "\(browser)/data", status: 204),
    Step(method: .delete, path: "\(browser)/apps/com.example.news", status: 204, statusAgain: 404),
    Step(method: .delete, path: "/v1/browsers/fork", status: 204, statusAgain: 404),
    Step(method: .delete, path: browser, status: 204, statusAgain: 404),
  ]

  /// The network of the story: sites with token keys, and a pixel that redirects to the trigger path.
  static func answer(_ signer: TokenSigner, _ request: OutgoingRequest) -> Exchange {
    if request.url == "https://news.example/pixel" { return Exchange(httpStatus: 302, location: "\(path)/02/03") }
    return signer.answer(request)
  }
}
