public import Foundation

extension Device {
  /// Asks for permission to track, as `requestTrackingAuthorization` does. The app needs `NSUserTrackingUsageDescription`.
  ///
  /// - Parameters:
  ///   - app: The registered app.
  ///   - isActive: Whether the app is active.
  ///   - isExtension: Whether an extension of the app makes the call.
  ///   - hasOtherPrompt: Whether a prompt for another permission is displayed.
  /// - Returns: Whether the prompt is displayed, and why not.
  @discardableResult
  public func requestTracking(
    by app: App, isActive: Bool = true, isExtension: Bool = false, hasOtherPrompt: Bool = false
  ) async throws -> TrackingRequest {
    let body: Members = [
      "bundleIdentifier": app.bundleIdentifier, "active": isActive, "extension": isExtension, "otherPrompt": hasOtherPrompt,
    ]
    return try await connection.call("POST", "\(path)/tracking-requests", body)
  }

  /// Answers the prompt of an app.
  @discardableResult
  public func answerTracking(of app: App, allow: Bool) async throws -> TrackingChoice {
    let body: Members = ["bundleIdentifier": app.bundleIdentifier, "allow": allow]
    return try await connection.call("POST", "\(path)/tracking-answers", body)
  }

  /// Changes the switch of an app in the settings, after the user answered its prompt.
  @discardableResult
  public func changeTracking(of app: App, allow: Bool) async throws -> TrackingChoice {
    let body: Members = ["bundleIdentifier": app.bundleIdentifier, "allow": allow]
    return try await connection.call("POST", "\(path)/tracking-settings", body)
  }

  /// Changes the setting of the device.
  @discardableResult
  public func changeTracking(_ setting: TrackingSetting) async throws -> TrackingChoice {
    try await connection.call("POST", "\(path)/tracking-settings", ["system": setting])
  }

  /// Returns the values about tracking that an app reads.
  public func tracking(of app: App) async throws -> Tracking {
    try await connection.call("GET", "\(path)/apps/\(app.bundleIdentifier.pathPart)/tracking")
  }

  /// Records an event with a measurement SDK.
  ///
  /// - Parameters:
  ///   - event: The name of the event.
  ///   - app: The registered app.
  ///   - sdkVersion: The version of the SDK, 4 or 5. Nil for 4 with a constant in `urlStrategy`, and for 5 otherwise.
  ///   - urlStrategy: The constant of SDK 4 that selects the hosts.
  ///   - domains: The domains of `setUrlStrategy` in SDK 5, in the order in which the SDK tries them.
  ///   - useSubdomains: Whether `setUrlStrategy` puts `analytics` or `consent` before a domain; nil for `true`.
  ///   - isDataResidency: Whether the domains are for data residency; nil for `false`.
  ///   - waitingInterval: How long events wait for the user's answer. SDK 5 waits at most 360 seconds, and SDK 4 at most 120.
  @discardableResult
  public func recordSDKEvent(
    _ event: String, by app: App, sdkVersion: Int? = nil, urlStrategy: URLStrategy = .standard, domains: [String]? = nil,
    useSubdomains: Bool? = nil, isDataResidency: Bool? = nil, waitingInterval: Duration = .zero
  ) async throws -> SDKEvent {
    let body: Members = [
      "bundleIdentifier": app.bundleIdentifier, "event": event, "sdkVersion": sdkVersion,
      "urlStrategy": urlStrategy.rawValue, "urlStrategyDomains": domains, "useSubdomains": useSubdomains,
      "isDataResidency": isDataResidency, "consentWaitingInterval": waitingInterval,
    ]
    return try await connection.call("POST", "\(path)/sdk-events", body)
  }

  /// Returns the requests of measurement SDKs, oldest first.
  public func sdkRequests() async throws -> [SDKRequest] { try await connection.items("\(path)/sdk-requests") }
}

/// The setting of tracking that the apps of a device share.
///
/// ```swift
/// try await device.changeTracking(.off)
/// let request = try await device.requestTracking(by: news)
/// #expect(request.outcome != "prompted", "\(request)")
/// ```
public struct TrackingSetting: Term {
  /// The string in the service's JSON.
  public let rawValue: String

  /// Creates a value from any string, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Apps may ask.
  public static let allowed = TrackingSetting("allowed")
  /// Apps may not ask.
  public static let off = TrackingSetting("off")
  /// Supervision, or a child account.
  public static let restricted = TrackingSetting("restricted")
}

/// The constant of version 4 of a measurement SDK that selects its hosts.
///
/// ```swift
/// let event = try await device.recordSDKEvent("sale", by: news, urlStrategy: .india)
/// #expect(event.outcome == "recorded")
/// #expect(try await device.sdkRequests().map(\.url) == ["https://analytics.adjust.net.in/event"])
/// ```
public enum URLStrategy: String, Hashable, Sendable, CaseIterable {
  /// The hosts without a constant.
  case standard = "default"
  /// Data residency in the European Union.
  case dataResidencyEU = "ADJDataResidencyEU"
  /// Data residency in Turkey.
  case dataResidencyTR = "ADJDataResidencyTR"
  /// Data residency in the United States.
  case dataResidencyUS = "ADJDataResidencyUS"
  /// The hosts for China in the domain `adjust.world`.
  case china = "ADJUrlStrategyChina"
  /// The hosts for China in the domain `adjust.cn`.
  case cn = "ADJUrlStrategyCn"
  /// The hosts for China in the domain `adjust.cn` alone.
  case cnOnly = "ADJUrlStrategyCnOnly"
  /// The hosts for India.
  case india = "ADJUrlStrategyIndia"
}

/// The outcome of a request for permission to track.
///
/// ```swift
/// let request = try await device.requestTracking(by: news)
/// #expect(request.outcome == "prompted" && request.usageDescription == "To measure ads.")
/// ```
public struct TrackingRequest: Hashable, Sendable, Decodable {
  /// The identifier in the log: `tracking-request-6`.
  public let id: String
  /// The time on the device's clock.
  public let at: Date
  /// `prompted`, `answered`, `rejected`, or `terminated`.
  public let outcome: String
  /// Apple's code, 0 to 3; nil for an app that the system ended.
  public let status: Int?
  /// The text of the prompt; nil when the Info.plist lacks it.
  public let usageDescription: String?
  /// Why there is no prompt; empty when there is one.
  public let reasons: [Reason]
  /// The smallest change with which there would be a prompt; nil when there is one.
  public let change: String?

  /// The subject for `Browser.explain`.
  public var subject: Explanation.Subject { .trackingRequest(id) }
}

/// The outcome of an answer to the prompt, or of a change in the settings.
///
/// ```swift
/// try await device.requestTracking(by: news)
/// let choice = try await device.answerTracking(of: news, allow: true)
/// #expect(choice.outcome == "answered" && choice.status == 3)
/// ```
public struct TrackingChoice: Hashable, Sendable, Decodable {
  /// The request that displayed the prompt; nil without one.
  public let id: String?
  /// The time on the device's clock.
  public let at: Date
  /// `answered`, `changed`, or `rejected`.
  public let outcome: String
  /// The setting of the device.
  public let system: TrackingSetting
  /// Apple's code, 0 to 3; nil for the setting of the device.
  public let status: Int?
  /// The requests of the app's measurement SDK that waited for the answer.
  public let sdkRequestIDs: [String]
  /// Why the choice has no effect; empty when it has one.
  public let reasons: [Reason]
}

/// The values about tracking that an app reads.
///
/// ```swift
/// let tracking = try await device.tracking(of: news)
/// #expect(tracking.statusName == "notDetermined" && !tracking.promptDisplayed)
/// ```
public struct Tracking: Hashable, Sendable, Decodable {
  /// Apple's code, 0 to 3.
  public let status: Int
  /// The name of Apple's constant, such as `notDetermined`.
  public let statusName: String
  /// The setting of the device.
  public let system: TrackingSetting
  /// Whether the prompt is displayed.
  public let promptDisplayed: Bool
  /// The text of the prompt; nil when the Info.plist lacks it.
  public let usageDescription: String?
  /// The advertising identifier: zeros without permission.
  public let advertisingIdentifier: String
  /// When events of the measurement SDK leave without an answer; nil when none waits.
  public let waitsUntil: Date?
}

/// The outcome of an event of a measurement SDK.
///
/// ```swift
/// let event = try await device.recordSDKEvent("open", by: news, waitingInterval: .seconds(30))
/// #expect(event.outcome == "held" && event.waitsUntil != nil)
/// ```
public struct SDKEvent: Hashable, Sendable, Decodable {
  /// The request with the event; nil for an event that waits.
  public let id: String?
  /// The time on the device's clock.
  public let at: Date
  /// `held` or `recorded`.
  public let outcome: String
  /// When the waiting ends without an answer; nil for an event that does not wait.
  public let waitsUntil: Date?
  /// Why the event does not wait; for a waiting event, a note when the wait is shorter than the app wants.
  public let reasons: [Reason]
}

/// A request of a measurement SDK.
///
/// ```swift
/// try await device.recordSDKEvent("sale", by: news)
/// let request = try #require(try await device.sdkRequests().first)
/// #expect(request.event == "sale" && request.status == 0)
/// ```
public struct SDKRequest: Hashable, Sendable, Decodable {
  /// The identifier in the log: `sdk-request-9`.
  public let id: String
  /// The time at which it was recorded, on the device's clock.
  public let at: Date
  /// The bundle identifier of the app.
  public let bundleIdentifier: String
  /// The name of the event.
  public let event: String
  /// Apple's code of the status at this time, 0 to 3.
  public let status: Int
  /// The URL of the next or latest attempt, at an analytics host or at a consent host.
  public let url: String
  /// The URLs that the SDK tries afterward when no response arrives.
  public let fallbackURLs: [String]
  /// The body.
  public let body: JSONValue
  /// `scheduled`, `sending`, `delivered`, or `failed`.
  public let state: String
  /// The status of the response; nil without one.
  public let httpStatus: Int?
  /// Why it was not delivered; empty otherwise.
  public let reasons: [Reason]

  /// The subject for `Browser.explain`.
  public var subject: Explanation.Subject { .sdkRequest(id) }
}
