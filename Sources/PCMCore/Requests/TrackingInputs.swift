extension OperationCatalog {
  static let tracking: [any OperationInput.Type] = [
    TrackingRequestInput.self, TrackingAnswerInput.self, TrackingSettingInput.self, SDKEventInput.self,
  ]
}

/// The body of `POST …/tracking-requests`.
package struct TrackingRequestInput: OperationInput {
  package var bundleIdentifier = ""
  package var isActive = true
  package var isExtension = false
  package var hasOtherPrompt = false

  package static let name = "tracking-request"
  package static let path = "/v1/devices/:device/tracking-requests"
  package static let summary = "Asks for permission to track"

  package static let form: OperationForm? = OperationForm(
    "try-tracking", "Permission to track", "The app asks with App Tracking Transparency. The system displays the prompt once.",
    button: "Ask", ["bundleIdentifier": "com.example.game"])

  package static let definition = BodyDefinition<Self>(
    "An app calls `requestTrackingAuthorization`.",
    [
      .required(
        "bundleIdentifier", \.bundleIdentifier, .string(keywords: [.init("format", "bundle-identifier")]),
        "The bundle identifier of the registered app"),
      .defaulted("active", \.isActive, .flag, "Whether the app is active; true when absent"),
      .defaulted("extension", \.isExtension, .flag, "Whether an extension of the app makes the call; false when absent"),
      .defaulted(
        "otherPrompt", \.hasOtherPrompt, .flag, "Whether a prompt for another permission is displayed; false when absent"),
    ])

  package init() {}
}

/// The body of `POST …/tracking-answers`.
package struct TrackingAnswerInput: OperationInput {
  package var bundleIdentifier = ""
  package var allow = false

  package static let name = "tracking-answer"
  package static let path = "/v1/devices/:device/tracking-answers"
  package static let summary = "Answers the prompt for permission to track"

  package static let form: OperationForm? = OperationForm(
    "try-tracking-answer", "Answer to the prompt", "The user allows tracking, or asks the app not to track.", button: "Answer",
    ["bundleIdentifier": "com.example.game", "allow": "true"])

  package static let definition = BodyDefinition<Self>(
    "A user answers the prompt that an app displays.",
    [
      .required(
        "bundleIdentifier", \.bundleIdentifier, .string(keywords: [.init("format", "bundle-identifier")]),
        "The bundle identifier of the app"),
      .required("allow", \.allow, .flag, "Whether the user allows tracking"),
    ])

  package init() {}
}

/// The body of `POST …/tracking-settings`.
package struct TrackingSettingInput: OperationInput {
  package var bundleIdentifier: String?
  package var allow: Bool?
  package var system: SystemTrackingSetting?

  package static let name = "tracking-setting"
  package static let path = "/v1/devices/:device/tracking-settings"
  package static let summary = "Changes tracking in the settings"

  package static let form: OperationForm? = OperationForm(
    "try-tracking-setting", "Tracking in the settings", "Apps may ask, or they may not. Under supervision, no app can track.",
    button: "Change the setting", ["system": "off"])

  package static let definition = BodyDefinition<Self>(
    "A user changes Settings, Privacy & Security, Tracking. Exactly one of `allow` and `system` is present; `bundleIdentifier` is "
      + "present with `allow`.",
    [
      .optional(
        "bundleIdentifier", \.bundleIdentifier, .string(keywords: [.init("format", "bundle-identifier")]),
        "The bundle identifier of the app whose switch changes"),
      .optional("allow", \.allow, .flag, "The switch of the app"),
      .optional(
        "system", \.system, .choice(SystemTrackingSetting.self),
        "The device: `allowed`, `off` (apps may not ask), or `restricted` (supervision, or a child account); `allowed` in a new "
          + "device"),
    ],
    rules: [
      .exactlyOne(of: ["allow", "system"]),
      .check { body in
        guard body.allow != nil, body.bundleIdentifier == nil else { return nil }
        return InputError(["bundleIdentifier"], "bundleIdentifier is missing; allow is the switch of an app", .missing)
      },
      .check { body in
        guard body.system != nil, body.bundleIdentifier != nil else { return nil }
        return InputError(
          ["bundleIdentifier"], "system is the setting of the device; remove bundleIdentifier", .conflictingMembers)
      },
    ])

  package init() {}
}

/// The body of `POST …/sdk-events`.
package struct SDKEventInput: OperationInput {
  package var bundleIdentifier = ""
  package var event = ""
  package var sdkVersion: Int64?
  package var urlStrategy = SDKURLStrategy.standard
  package var urlStrategyDomains: [String]?
  package var useSubdomains: Bool?
  package var isDataResidency: Bool?
  package var consentWaitingInterval = Interval.seconds(0)

  /// The version of the SDK. SDK 4 has constants, and SDK 5 domains.
  package var version: Int64 { sdkVersion ?? (urlStrategy == .standard ? 5 : 4) }

  package var hosts: SDKHosts {
    urlStrategyDomains.map { SDKHosts(domains: $0, usesSubdomains: useSubdomains ?? true) } ?? urlStrategy.hosts
  }

  /// The maximum size of `event` in bytes.
  package static let maximumEventSize = 128

  package static let name = "sdk-event"
  package static let path = "/v1/devices/:device/sdk-events"
  package static let summary = "Records an event with a measurement SDK"

  package static let form: OperationForm? = OperationForm(
    "try-sdk-event", "Event of a measurement SDK",
    "The app records an event. It waits for the user's answer, up to 360 seconds, and then leaves for the host that fits it.",
    button: "Record the event",
    ["bundleIdentifier": "com.example.game", "event": "purchase", "consentWaitingInterval": "PT30S"])

  package static let definition = BodyDefinition<Self>(
    "An app records an event with a measurement SDK.",
    [
      .required(
        "bundleIdentifier", \.bundleIdentifier, .string(keywords: [.init("format", "bundle-identifier")]),
        "The bundle identifier of the registered app"),
      .required(
        "event", \.event, .string("a string with the name of an event", upTo: maximumEventSize), "The name of the event"),
      .optional(
        "sdkVersion", \.sdkVersion,
        .integer("4 or 5", in: 4...5, keywords: [.init("minimum", 4), .init("maximum", 5)]),
        "The version of the SDK: 4 or 5. When absent, 4 with a constant in `urlStrategy`, and 5 otherwise"),
      .defaulted(
        "urlStrategy", \.urlStrategy, .choice(SDKURLStrategy.self),
        "The constant of SDK 4 that selects the hosts; `default` when absent"),
      .optional(
        "urlStrategyDomains", \.urlStrategyDomains,
        .list(
          of: .text, "an array of 1 to 10 domains such as \"eu.adjust.com\"",
          keywords: [
            .init("items", ["type": "string", "pattern": .string(SDKDomain.pattern)]), .init("minItems", 1),
            .init("maxItems", 10),
          ]),
        "The domains of `setUrlStrategy` in SDK 5, in the order in which the SDK tries them"),
      .optional(
        "useSubdomains", \.useSubdomains, .flag,
        "Whether `setUrlStrategy` puts `analytics` or `consent` before a domain; true when absent"),
      .optional(
        "isDataResidency", \.isDataResidency, .flag,
        "Whether the domains of `setUrlStrategy` are for data residency. It selects no host; false when absent"),
      .defaulted(
        "consentWaitingInterval", \.consentWaitingInterval, .duration(in: .seconds(0)...(.hours(24))),
        "`attConsentWaitingInterval`: how long events wait for the user's answer, from the first one on. SDK 5 waits at most "
          + "PT360S, and SDK 4 PT120S; PT0S when absent"),
    ],
    rules: [
      .check { $0.domainError },
      .check { $0.versionError },
    ])

  package init() {}

  private var domainError: InputError? {
    guard let domains = urlStrategyDomains else { return nil }
    guard (1...10).contains(domains.count) else {
      return InputError(["urlStrategyDomains"], "the list has \(domains.count) domains; give 1 to 10", .outOfRange)
    }
    guard let index = domains.firstIndex(where: { !SDKDomain.isValid($0) }) else { return nil }
    return InputError(["urlStrategyDomains", "\(index)"], "the domain is not one such as eu.adjust.com, in lower case")
  }

  /// The error in members that belong to another version of the SDK; nil if there is none.
  private var versionError: InputError? {
    let given = [
      ("urlStrategyDomains", urlStrategyDomains != nil), ("useSubdomains", useSubdomains != nil),
      ("isDataResidency", isDataResidency != nil),
    ].filter(\.1).map(\.0)
    if version == 5, urlStrategy != .standard {
      return InputError(
        ["urlStrategy"], "\(urlStrategy.rawValue) is a constant of SDK 4; give urlStrategyDomains, or sdkVersion 4",
        .conflictingMembers)
    }
    if version == 4, let name = given.first {
      return InputError([name], "\(name) belongs to SDK 5; give urlStrategy, or sdkVersion 5", .conflictingMembers)
    }
    if urlStrategyDomains == nil, let name = given.first {
      return InputError([name], "\(name) belongs to urlStrategyDomains; give both, or none", .conflictingMembers)
    }
    return nil
  }
}

/// A domain in `setUrlStrategy`: letters in lower case, digits, hyphens, and dots.
private enum SDKDomain {
  static let pattern = "^[a-z0-9]([a-z0-9.-]{0,200}[a-z0-9])?$"

  static func isValid(_ text: String) -> Bool {
    func isAlphanumeric(_ byte: UInt8) -> Bool { (97...122).contains(byte) || (48...57).contains(byte) }
    let bytes = Array(text.utf8)
    guard (1...202).contains(bytes.count), isAlphanumeric(bytes[0]), isAlphanumeric(bytes[bytes.count - 1]) else {
      return false
    }
    return bytes.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
  }
}
