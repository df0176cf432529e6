public import Foundation

/// A call of an app that reports a conversion value.
///
/// ```swift
/// let value = ConversionValue.adattributionkit(42, coarse: .high, lockWindow: true)
/// #expect(value.framework == .adattributionkit && value.fine == 42)
/// try await device.install(game)
/// try await device.report(.skadnetwork(42, coarse: .high), by: game)
/// ```
public struct ConversionValue: Hashable, Sendable {
  /// The framework whose call the app makes. The calls of SKAdNetwork reach both.
  public var framework: AdFramework
  /// The fine value, 0 to 63.
  public var fine: Int?
  /// The coarse value.
  public var coarse: Coarse?
  /// Whether the call ends the current window.
  public var lockWindow: Bool
  /// The types of conversions to update, with AdAttributionKit; nil for all.
  public var types: [ConversionType]?
  /// The tag of the re-engagement to update, with AdAttributionKit.
  public var tag: String?

  private init(
    _ framework: AdFramework, _ fine: Int?, _ coarse: Coarse?, _ lockWindow: Bool, _ types: [ConversionType]? = nil,
    _ tag: String? = nil
  ) {
    self.framework = framework
    self.fine = fine
    self.coarse = coarse
    self.lockWindow = lockWindow
    self.types = types
    self.tag = tag
  }

  /// `updatePostbackConversionValue` of SKAdNetwork. Without a value, the call only registers the install.
  public static func skadnetwork(_ fine: Int? = nil, coarse: Coarse? = nil, lockWindow: Bool = false) -> ConversionValue {
    ConversionValue(.skadnetwork, fine, coarse, lockWindow)
  }

  /// `updateConversionValue` of AdAttributionKit.
  public static func adattributionkit(
    _ fine: Int, coarse: Coarse? = nil, lockWindow: Bool = false, types: [ConversionType]? = nil, tag: String? = nil
  ) -> ConversionValue {
    ConversionValue(.adattributionkit, fine, coarse, lockWindow, types, tag)
  }

  /// A coarse value.
  public struct Coarse: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The lowest value.
    public static let low = Coarse("low")
    /// The middle value.
    public static let medium = Coarse("medium")
    /// The highest value.
    public static let high = Coarse("high")
  }

  /// The type of a conversion to update.
  public struct ConversionType: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The conversion of an install.
    public static let install = ConversionType("install")
    /// The conversion of a re-engagement.
    public static let reengagement = ConversionType("reengagement")
  }
}

/// The outcome of a call that reports a conversion value.
///
/// ```swift
/// try await device.display(skAd, in: news)
/// try await device.install(game)
/// let report = try await device.report(.skadnetwork(42), by: game)
/// #expect(report.outcome == .accepted && report.conversions.count == 1, "\(report.reasons)")
/// ```
public struct ConversionValueOutcome: Hashable, Sendable, Decodable {
  /// The time on the device's clock.
  public let at: Date
  /// The outcome.
  public let outcome: Outcome
  /// The app that made the call.
  public let bundleIdentifier: String
  /// Why the call was rejected; for a counted call, the values that the windows ignore.
  public let reasons: [Reason]
  /// The error that the app receives; nil when it receives none.
  public let appleError: AppleError?
  /// The effect on each conversion that the call concerns.
  public let conversions: [Effect]

  /// The outcome of a call that reports a value.
  public struct Outcome: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The value counts.
    public static let accepted = Outcome("accepted")
    /// The value has no effect.
    public static let rejected = Outcome("rejected")
  }

  /// The effect of a call on one conversion.
  public struct Effect: Hashable, Sendable, Decodable {
    /// The identifier of the conversion; nil for a call that concerns none.
    public let id: String?
    /// Whether the value counts for the conversion.
    public let outcome: Outcome
    /// The number of the conversion window, 0 to 2; nil for a rejected value.
    public let sequenceIndex: Int?
    /// The fine value of the window after the call; nil when it has none.
    public let fineValue: Int?
    /// The coarse value of the window after the call; nil when it has none.
    public let coarseValue: ConversionValue.Coarse?
    /// Why the value was rejected; for a counted value, the part that the window ignores.
    public let reasons: [Reason]
    /// The smallest change with which the value would count; nil when all of it counts.
    public let change: String?
  }
}

extension ConversionValueOutcome: CustomStringConvertible {
  /// `rejected; nothing-pending, no conversion of …`
  public var description: String { ([outcome.rawValue] + reasons.map(\.description)).joined(separator: "; ") }
}
