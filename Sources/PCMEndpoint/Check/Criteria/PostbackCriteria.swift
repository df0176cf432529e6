import PCMCore
import PCMNetwork

extension CheckCatalog {
  static let skAdNetworkCriteria = postbackEndpointCriteria(.skadnetwork)
  static let adAttributionKitCriteria = postbackEndpointCriteria(.adattributionkit)

  /// The criteria of postback endpoints: the criteria about the connection, shared with report endpoints, and the specific
  /// criteria.
  private static func postbackEndpointCriteria(_ framework: AdFramework) -> [Criterion] {
    let status = framework == .skadnetwork ? "postback-status-is-200" : "postback-status-is-2xx"
    return (connectionCriteria + certificateCriteria).map { $0.forPostbacks } + postbackCriteria + statusCriteria(framework)
      + receiptCriteria("postback", probes: (.postback, .getPostback), restsOn: [status])
      + postbackAnswerCriteria + postbackHeaderCriteria + validPostbackCriteria + hostilePostbackCriteria
  }

  /// The dependency of the other rules about postbacks.
  static let postbackGate = [receiptOfPostbacks]

  /// The rules about a postback as a device sends it. Each depends on the previous rule, so that an error causes a single
  /// failed rule.
  static let postbackCriteria: [Criterion] = [
    CheckRule(
      "postback-is-answered", "A postback receives a complete response", .error,
      .apple("StoreKit: Verifying an install-validation postback"),
      fix: "Make sure that the server and its proxies read the postback and complete the response with 200."
    ).ofFirst(.postback, and: [.firstOverHTTP1], restsOn: connection) { exchange, _ in exchange.failure != nil },
    CheckRule(
      "postback-path-is-served", "Postbacks are accepted at the path of the URL", .error,
      .apple("StoreKit: Registering an ad network, and NSAdvertisingAttributionReportEndpoint"),
      fix: "Serve exactly the registered URL. A URL without a path stands for the advertiser's copy, which devices send to "
        + "the well-known path with a trailing slash."
    ).ofFirst(.postback, and: refusalProbes, restsOn: ["postback-is-answered"]) { exchange, _ in
      exchange.httpStatus == 404 || exchange.httpStatus == 410
    },
    CheckRule(
      "postback-post-is-accepted", "Postbacks are accepted with POST", .error,
      .apple("StoreKit: Verifying an install-validation postback"),
      fix: "Accept POST at the URL."
    ).ofFirst(.postback, and: refusalProbes, restsOn: ["postback-path-is-served"]) { exchange, _ in
      exchange.httpStatus == 405 || exchange.httpStatus == 501
    },
    CheckRule(
      "postback-is-not-redirected", "Postbacks are not redirected", .error,
      .apple("StoreKit: Verifying an install-validation postback"),
      fix: "Return 200 at the URL itself: Apple documents no status other than 200 that ends the attempts."
    ).ofFirst(.postback, restsOn: ["postback-post-is-accepted"]) { exchange, _ in exchange.isRedirect },
  ]

  /// The rules about the status of a valid postback, in agreement with the device (`Exchange.postbackRules`). SKAdNetwork
  /// ends its attempts with status 200, and AdAttributionKit with any 2xx status.
  private static func statusCriteria(_ framework: AdFramework) -> [Criterion] {
    let others = "for another status, a device sends the postback up to nine times in nine days, and it is lost after that."
    let isSKAdNetwork = framework == .skadnetwork
    return [
      CheckRule(
        "postback-status-is-2xx", "Valid postbacks receive a 2xx status", .error,
        .apple("StoreKit: Verifying an install-validation postback, and AdAttributionKit: Verifying a postback"),
        fix: "Return 200 for every postback whose signature verifies with Apple's key, also for unknown campaigns: \(others)"
      ).ofFirst(.postback, and: [.redirectTargets, .postbackVariants] + refusalProbes, restsOn: ["postback-is-not-redirected"])
      { exchange, _ in
        !exchange.isAccepted
      },
      CheckRule(
        "postback-status-is-200", "Valid postbacks receive the status 200", isSKAdNetwork ? .error : .warning,
        .apple("StoreKit: Verifying an install-validation postback"),
        fix: isSKAdNetwork
          ? "Return 200, with or without a body: \(others)"
          : "Return 200: Apple's pages on AdAttributionKit name 500 as the status that repeats a postback, and the pages on "
            + "SKAdNetwork every status other than 200."
      ).ofFirst(.postback, restsOn: ["postback-status-is-2xx"]) { exchange, _ in exchange.httpStatus != 200 },
    ]
  }

  /// The rules about the response to a postback that reached the endpoint.
  private static let postbackAnswerCriteria: [Criterion] = [
    CheckRule(
      "postback-is-answered-within-2-seconds", "A postback receives a response within 2 seconds", .warning, .advice,
      fix: "Respond immediately and process the postback later. The timeout of devices is not documented."
    ).ofFirst(.postback, restsOn: postbackGate) { exchange, options in exchange.duration > options.patience.good }
  ]

  /// The rules about variations that an endpoint must accept, because Apple does not document the headers of postbacks.
  static let postbackHeaderCriteria: [Criterion] = [
    CheckRule(
      "postback-works-over-http-1-1", "Postbacks are accepted over HTTP/1.1", .warning, .advice,
      fix: "Support HTTP/1.1: the HTTP version of devices is not documented."
    ).accepting(.postbackOverHTTP1),
    CheckRule(
      "postback-needs-no-user-agent", "The user agent has no effect on a postback", .warning, .advice,
      fix: "Ignore User-Agent, also in bot filters: Apple does not document the headers of postbacks."
    ).accepting(.postbackFromOtherAgent, "a postback without a user agent"),
    CheckRule(
      "other-content-types-do-no-harm", "A postback as text/plain receives a response other than 5xx", .warning, .advice,
      fix: "Read the body regardless of its Content-Type, or return 415."
    ).harmless(.postbackAsText, "as text/plain, "),
  ]

  /// The rules about valid postbacks.
  static let validPostbackCriteria: [Criterion] = [
    CheckRule(
      "repeated-postback-is-accepted", "A postback that arrives twice receives 2xx twice", .error,
      .apple("StoreKit: Verifying an install-validation postback"),
      fix: "Return 200 for a postback that you have counted: a device repeats it when a response is lost. Count it once."
    ).accepting(.repeatedPostback, "a postback that arrives twice"),
    CheckRule(
      "older-postbacks-are-accepted", "Apple-signed postbacks of versions 1.0 to 3.0 are accepted", .warning,
      .apple("StoreKit: Verifying an install-validation postback"),
      fix: "Support all versions, with Apple's P-192 key for 1.0 and 2.0: devices send the version that the ad was signed "
        + "with."
    ).accepting(.olderPostbacks, lack: "AdAttributionKit has no versions"),
    CheckRule(
      "runner-up-postback-is-accepted", "An Apple-signed postback with did-win false is accepted", .warning,
      .apple("StoreKit: Receiving ad attributions and postbacks"),
      fix: "Return 200 for postbacks of ads that did not win, and do not count them as installs."
    ).accepting(.runnerUpPostback, lack: "Apple publishes no such postback of AdAttributionKit"),
    CheckRule(
      "test-signed-postbacks-are-accepted", "Valid postbacks of the published test keys are accepted", .error, .advice,
      fix: "Configure the endpoint with the public keys of Fixtures/device/keys, or omit --test-keys."
    ).accepting(.testPostbacks, lack: "the endpoint is not said to trust the test keys (--test-keys)"),
  ]
}

extension Criterion {
  /// The words for postback endpoints, which may be on any host: the title, or nil for the same title, and the remedy.
  private static let wordsForPostbacks: [String: (title: String?, fix: String)] = [
    "host-name-resolves":
      ("The name of the endpoint's host resolves", "Add an A or AAAA record for the host of the URL."),
    "connections-are-accepted":
      (nil, "Accept connections on the port of the URL within 10 seconds, and check the route to the server (--connect-to)."),
    "certificate-names-the-host":
      (
        "The certificate is for the endpoint's host",
        "Get a certificate whose subjectAltName has the host of the URL: *.example.com does not match example.com."
      ),
    "tls-1-3-is-spoken": (nil, "Enable TLS 1.3: it saves a round trip for each postback."),
    "tls-before-1-2-is-refused":
      (nil, "Disable TLS 1.0 and 1.1 (RFC 8996): no device that sends postbacks needs them."),
  ]

  fileprivate var forPostbacks: Criterion {
    guard let (title, fix) = Self.wordsForPostbacks[id] else { return self }
    return CheckRule(id, title ?? rule.title, rule.severity, rule.origin, fix: fix)
      .criterion(restsOn: restsOn, within: within, probes: probes, evaluate: evaluate)
  }
}
