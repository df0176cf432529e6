public import Foundation

/// A postback about a conversion.
///
/// ```swift
/// try await device.display(skAd, in: news)
/// try await device.install(game)
/// try await device.report(.skadnetwork(42), by: game)
/// try await device.browser.advance(by: .hours(120))
/// let postback = try #require(try await device.postbacks(in: [.delivered]).first)
/// #expect(postback.recipient == .adNetwork && postback.didWin)
/// #expect(postback.body["conversion-value"]?.integer == 42)
/// ```
public struct Postback: Hashable, Sendable, Decodable {
  /// The identifier in the log: `postback-12`.
  public let id: String
  /// The conversion.
  public let conversionID: String
  /// The ad for which the network receives the postback.
  public let impressionID: String
  /// The framework of the ad.
  public let framework: AdFramework
  /// The number of the conversion window, 0 to 2.
  public let sequenceIndex: Int
  /// Whether the ad led to the conversion.
  public let didWin: Bool
  /// The recipient.
  public let recipient: Recipient
  /// The ad network.
  public let adNetworkIdentifier: String
  /// The advertised app.
  public let bundleIdentifier: String
  /// The URL of the postback.
  public let url: String
  /// The time of the first attempt.
  public let dueAt: Date
  /// The time of the next retry; nil when none is scheduled.
  public let retryAt: Date?
  /// The state of the postback. A postback is never superseded.
  public let state: Report.State
  /// The members of the JSON body, according to the version of SKAdNetwork, or to AdAttributionKit.
  public let body: JSONValue
  /// The number of attempts to send the postback.
  public let attemptCount: Int
  /// The first and the latest attempts, up to 20, in order.
  public let attempts: [Report.Attempt]

  /// The recipient of a postback.
  public struct Recipient: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The ad network.
    public static let adNetwork = Recipient("ad-network")
    /// The developer of the advertised app, who receives copies.
    public static let developer = Recipient("developer")
  }

  /// The subject for `Browser.explain`.
  public var subject: Explanation.Subject { .postback(id) }
}

extension Postback: CustomStringConvertible {
  /// `postback-12 to ad-network, delivered, due …: window 1, example123.skadnetwork -> com.example.shop`
  public var description: String {
    let last = attempts.last.map { "; last attempt: \($0)" } ?? ""
    return "\(id) to \(recipient), \(state), due \(dueAt.wire): window \(sequenceIndex + 1), "
      + "\(adNetworkIdentifier) -> \(bundleIdentifier)\(last)"
  }
}

extension Device {
  /// Returns the postbacks in the order in which they were scheduled.
  ///
  /// - Parameter states: Returns only postbacks in one of these states; empty for all.
  public func postbacks(in states: Set<Report.State> = []) async throws -> [Postback] {
    try await connection.items(
      "\(path)/postbacks", filters: ["include": ["body", "response"], "state": Set(states.map(\.rawValue))])
  }

  /// Returns a postback.
  public func postback(_ id: String) async throws -> Postback {
    try await connection.call("GET", "\(path)/postbacks/\(id.pathPart)")
  }

  /// Returns the next postback that a recipient accepts, as soon as there is one. Use it for devices with a real clock: with a
  /// manual clock, `Browser.advance` returns when all due postbacks were sent.
  ///
  /// - Parameters:
  ///   - sequence: Considers only postbacks whose delivery has a later number in the log.
  ///   - timeout: The timeout on the machine's clock, up to five minutes.
  /// - Throws: `ServiceError` with the code `timed-out` after the timeout.
  @discardableResult
  public func waitForPostback(after sequence: Int = 0, timeout: Duration = .seconds(30)) async throws -> Postback {
    let event = try await browser.waitFor(.postbackDelivered, after: sequence, timeout: timeout)
    return try await postback(event.detail["postbackId"]?.string ?? "")
  }
}
