package import PCMCore

/// The tracking setting of the device, and the displayed prompt.
package struct TrackingSystem: Hashable, Codable, Sendable {
  package var setting = SystemTrackingSetting.allowed
  /// The app whose prompt is displayed; nil if there is none.
  package var promptingApp: String?

  package init() {}
}

/// The tracking state of an app, until the app is removed (consent reference, sections A2 and A6).
package struct AppTracking: Hashable, Codable, Sendable {
  package let bundleIdentifier: String
  /// The user's choice in the prompt or in the settings. A request while apps may not ask also counts as a denial.
  package var choice = TrackingStatus.notDetermined
  /// The number of the request that displayed the prompt, or was denied because apps may not ask; nil before such a request.
  package var request: Int64?
  package var sdk = MeasurementSDK()

  package init(_ bundleIdentifier: String) { self.bundleIdentifier = bundleIdentifier }

  /// Returns the status for the app. A setting of the device overrides the user's choice while it is in effect, but does not
  /// replace it.
  package func status(under system: SystemTrackingSetting) -> TrackingStatus {
    switch system {
    case .allowed: choice
    case .off: choice == .notDetermined ? .denied : choice
    case .restricted: .restricted
    }
  }
}

/// The advertising identifier that an app reads (consent reference, section A3).
package enum AdvertisingIdentifier {
  /// The value without permission.
  package static let zeros = "00000000-0000-0000-0000-000000000000"

  /// - Parameter device: The identifier of the device.
  package static func value(with status: TrackingStatus, device: String) -> String {
    status == .authorized ? device.uppercased() : zeros
  }
}

/// The measurement SDK of an app, with the events that wait for the user's answer (consent reference, section A5).
package struct MeasurementSDK: Hashable, Codable, Sendable {
  /// An event that the app recorded.
  package struct Event: Hashable, Codable, Sendable {
    package let name: String
    package let recordedAt: Instant
    /// The constant of SDK 4; nil with the domains of SDK 5.
    package let urlStrategy: SDKURLStrategy?
    package let hosts: SDKHosts

    package init(name: String, recordedAt: Instant, urlStrategy: SDKURLStrategy?, hosts: SDKHosts) {
      self.name = name
      self.recordedAt = recordedAt
      self.urlStrategy = urlStrategy
      self.hosts = hosts
    }
  }

  /// The time of the first event.
  package var startedAt: Instant?
  /// The end of the wait without an answer; nil if no event waits.
  package private(set) var waitsUntil: Instant?
  /// Whether the wait is over. The SDK waits once.
  package private(set) var hasWaited = false
  /// The waiting events, in order.
  package private(set) var held: [Event] = []

  /// Returns the maximum wait of a version of the SDK. An app cannot extend it.
  package static func longestWait(ofVersion version: Int64) -> Interval { .seconds(version < 5 ? 120 : 360) }
  /// The maximum number of waiting events.
  package static let maximumHeldCount = 100

  /// Adds a waiting event, and returns the end of the wait, which the first event determines.
  ///
  /// - Parameter interval: The length of the wait.
  package mutating func hold(_ event: Event, for interval: Interval) -> Instant {
    let end = waitsUntil ?? event.recordedAt + interval
    waitsUntil = end
    held.append(event)
    return end
  }

  /// Ends the wait, and returns the waiting events.
  package mutating func release() -> [Event] {
    defer { (waitsUntil, held) = (nil, []) }
    hasWaited = hasWaited || waitsUntil != nil
    return held
  }
}
