package import PCMCore

/// A part of the state of the device. A store does not read its value.
package struct DeviceRow: Hashable, Sendable {
  package enum Kind: Int64, Hashable, Sendable, CaseIterable {
    /// The properties of the device, under an empty name.
    case device = 0
    /// An ad network, under its identifier.
    case adNetwork = 1
    /// An ad that was recorded, under its name in the log.
    case impression = 2
    /// An ad on display, under its name in the log.
    case view = 3
    /// An app that was installed, with its conversions, under its bundle identifier.
    case installedApp = 4
    /// The signed text of an ad on display, under the name of the ad.
    case signedText = 5
    /// A content card of an app, under the bundle identifier and the card's ID.
    case card = 6
    /// The tracking of an app, under its bundle identifier; the setting of the device, under an empty name.
    case tracking = 8
    /// A request of a measurement SDK, under its number with 19 digits, so that names have the order of numbers.
    case sdkRequest = 9
  }

  /// Names are ASCII, so all stores compare them alike.
  package struct Key: Hashable, Comparable, Sendable {
    package let kind: Kind
    package let name: String

    package init(_ kind: Kind, _ name: String) {
      (self.kind, self.name) = (kind, name)
    }

    package static func < (left: Key, right: Key) -> Bool {
      (left.kind.rawValue, left.name) < (right.kind.rawValue, right.name)
    }
  }

  package let key: Key
  /// A JSON object.
  package let value: String
  /// When time alone next changes the row; nil when it does not.
  package let changesAt: Instant?

  package init(_ kind: Kind, _ name: String, value: String, changesAt: Instant? = nil) {
    key = Key(kind, name)
    self.value = value
    self.changesAt = changesAt
  }
}
