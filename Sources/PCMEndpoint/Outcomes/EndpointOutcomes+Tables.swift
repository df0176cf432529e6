import PCMCore
import PCMNetwork

extension EndpointOutcomes {
  private static let manager = RuleOrigin.webkit("PrivateClickMeasurementManager.cpp")
  private static let loader = RuleOrigin.webkit("PrivateClickMeasurementNetworkLoaderCocoa.mm")
  private static let timeout = RuleOrigin.assumption("60 seconds are the default of the platform's URL loading")

  private static func statuses(_ statuses: Int...) -> EndpointOutcome.Play { .answers(statuses.map { .init(status: $0) }) }

  private static func redirect(to location: String) -> EndpointOutcome.Play {
    .answers([301, 302, 303, 307, 308].map { .init(status: $0, location: location) })
  }

  private static func delay(_ seconds: Int64) -> EndpointOutcome.Play { .answers([.init(seconds: seconds)]) }

  static let reports: [EndpointOutcome] = responses + connections + sessions

  private static let responses: [EndpointOutcome] = [
    .init(
      "A status from 200 to 299, also with an empty body",
      "The report has arrived. Safari reads neither the status nor the body.",
      "delivered", nil, manager, statuses(200, 201, 202, 204, 299)),
    .init(
      "Another error status", "Safari does not read the status, and sends the report once. The report is lost.",
      "failed, http-status", "report-status-is-2xx", manager, statuses(400, 401, 403, 409, 422, 429, 500, 502, 503)),
    .init(
      "404 or 410", "As for another error status. Frameworks return it for a path with a trailing slash that they do not know.",
      "failed, http-status", "report-path-is-served", manager, statuses(404, 410)),
    .init(
      "405 or 501", "As for another error status.", "failed, http-status", "report-post-is-accepted", manager,
      statuses(405, 501)),
    .init(
      "A redirect on the same site", "Safari does not follow it. The report is lost.", "failed, http-status",
      "report-is-not-redirected", loader, redirect(to: "https://ads.example/reports")),
    .init(
      "A redirect to another site", "Safari does not follow it. The report is lost.", "failed, http-status",
      "report-is-not-redirected", loader, redirect(to: "https://other.example/")),
    .init(
      "A redirect to http", "Safari does not follow it. The report is lost.", "failed, http-status", "report-is-not-redirected",
      loader, redirect(to: "http://ads.example/")),
    .init(
      "A response after 2 to 10 seconds", "Safari waits for it. Proxies often end a request after 10 to 30 seconds.",
      "delivered",
      "report-is-answered-within-2-seconds", timeout, delay(3)),
    .init(
      "A response after 10 to 60 seconds", "Safari probably waits for it. Proxies often end a request after 10 to 30 seconds.",
      "delivered", "report-is-answered-within-10-seconds", timeout, delay(12)),
    .init(
      "No response within 60 seconds", "Safari ends the request. The report is lost, even if the endpoint has counted it.",
      "failed, timed-out", "report-is-answered-within-60-seconds", timeout, .failure(.timedOut)),
  ]

  private static let connections: [EndpointOutcome] = [
    .init(
      "A connection that closes before the response", "The report is lost.", "failed, connection-lost", "report-is-answered",
      manager, .failure(.connectionLost)),
    .init(
      "A response that breaks HTTP/2, such as one with the field Connection", "Safari rejects it. The report is lost.",
      "failed, protocol-error", "report-is-answered", .draft("RFC 9113, section 8.2.2"), .failure(.protocolError)),
    .init(
      "HTTP/1.1 or HTTP/1.0 only", "Safari sends the report over HTTP/1.1, and reads a response of HTTP/1.0.", "delivered",
      "report-works-over-http-2", .draft("RFC 9112, section 2.3"),
      .answers([.init(httpVersion: "1.1"), .init(httpVersion: "1.0")])),
    .init(
      "A name that does not resolve, or a device that is offline",
      "Nothing is sent, and the report is not sent later. It is lost.",
      "failed, name-not-resolved", "host-name-resolves", manager, .failure(.nameNotResolved, atHandshake: true)),
    .init(
      "Only an IPv6 address", "Safari connects over IPv6.", "delivered", nil, .draft("RFC 8305, section 4"),
      .answers([.init(isOverIPv6: true)])),
    .init(
      "Only an IPv6 address, on a network without IPv6", "No connection is possible. The report is lost.",
      "failed, connection-failed", "connections-are-accepted", .draft("RFC 8305, section 4"),
      .failure(.connectionFailed, atHandshake: true)),
    .init(
      "A port that accepts no connections", "The report is lost.", "failed, connection-failed", "connections-are-accepted",
      manager,
      .failure(.connectionFailed, atHandshake: true)),
    .init(
      "TLS 1.1 or earlier, or no TLS", "Safari ends the connection. The report is lost.", "failed, tls-failed",
      "tls-1-2-or-later-is-spoken", .apple("Preventing Insecure Network Connections"), .failure(.tlsFailed, atHandshake: true)),
    .init(
      "A certificate of an unknown authority, or without the intermediate", "Safari ends the connection. The report is lost.",
      "failed, certificate-refused", "certificate-chain-is-trusted", .apple("Preventing Insecure Network Connections"),
      .certificate(.unknownAuthority)),
    .init(
      "An expired certificate", "Safari ends the connection. The report is lost.", "failed, certificate-refused",
      "certificate-is-in-its-time", .apple("Preventing Insecure Network Connections"), .certificate(.expired)),
    .init(
      "A certificate for another host", "Safari ends the connection. The report is lost.", "failed, certificate-refused",
      "certificate-names-the-host", .apple("Preventing Insecure Network Connections"), .certificate(.otherHost)),
  ]

  private static let sessions: [EndpointOutcome] = [
    .init(
      "A private session",
      "A click and its triggering event count only within the session, and its reports are sent while it lasts. At its end, they are "
        + "withdrawn.", "cleared, cleared", nil, manager, .scenarios(["recipe-private-browsing"])),
    .init(
      "A restart of the browser", "Reports that became due in the meantime are sent soon after the start.", "delivered", nil,
      manager,
      .scenarios(["088-overdue-report-after-a-restart", "recipe-overdue-after-a-restart"])),
  ]

  static func postbacks(_ framework: AdFramework) -> [EndpointOutcome] {
    let isSKAdNetwork = framework == .skadnetwork
    let origin =
      isSKAdNetwork
      ? RuleOrigin.apple("StoreKit: Verifying an install-validation postback")
      : .assumption("AdAttributionKit: Verifying a postback names only 500 as a status after which the device sends again")
    let again = "The device sends the postback again, up to nine times within nine days."
    let unknown = RuleOrigin.assumption("the timeout of devices is not documented")
    return [
      .init("Status 200", "The postback has arrived.", "delivered", nil, origin, statuses(200)),
      .init(
        "A status from 201 to 299", isSKAdNetwork ? again : "The postback has arrived.",
        isSKAdNetwork ? "scheduled, http-status" : "delivered", "postback-status-is-200", origin, statuses(201, 202, 204)),
      .init(
        "Another error status", again, "scheduled, http-status", "postback-status-is-2xx", origin,
        statuses(400, 401, 403, 409, 429, 500, 503)),
      .init(
        "A redirect", again + " It is not followed.", "scheduled, http-status", "postback-is-not-redirected", origin,
        redirect(to: "https://other.example/")),
      .init(
        "A response after more than 2 seconds",
        "The limit of devices is not documented. Proxies often end a request after 10 to 30 "
          + "seconds.", "delivered", "postback-is-answered-within-2-seconds", unknown, delay(12)),
      .init(
        "No response within 60 seconds", again, "scheduled, timed-out", "postback-is-answered", unknown, .failure(.timedOut)),
      .init(
        "A connection that closes before the response", again, "scheduled, connection-lost", "postback-is-answered", origin,
        .failure(.connectionLost)),
      .init(
        "A name that does not resolve, or a device that is offline", again, "scheduled, name-not-resolved",
        "host-name-resolves",
        origin, .failure(.nameNotResolved, atHandshake: true)),
    ]
  }
}
