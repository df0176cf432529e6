package import PCMCore

/// What callers hand over, as text and numbers that nobody has looked at yet. The member names are the API's.
package struct EventAttributionInput: Hashable, Sendable {
  package var app: String
  package var sourceIdentifier: Int
  package var destinationURL: String
  package var sourceDescription: String?
  package var purchaser: String?
  /// An extension: the app API that is played here has none.
  package var sourceNonce: String?
  package var tapVerified: Bool
  package var presentation: String
  package var openedURL: String?
  package var landingURL: String?

  package init(
    app: String, sourceIdentifier: Int, destinationURL: String, sourceDescription: String? = nil, purchaser: String? = nil,
    sourceNonce: String? = nil, tapVerified: Bool = true, presentation: String = "openURL", openedURL: String? = nil,
    landingURL: String? = nil
  ) {
    self.app = app
    self.sourceIdentifier = sourceIdentifier
    self.destinationURL = destinationURL
    self.sourceDescription = sourceDescription
    self.purchaser = purchaser
    self.sourceNonce = sourceNonce
    self.tapVerified = tapVerified
    self.presentation = presentation
    self.openedURL = openedURL
    self.landingURL = landingURL
  }
}

package struct LinkClickInput: Hashable, Sendable {
  package var pageURL: String
  package var attributionSourceID: String?
  package var attributionDestination: String?
  package var attributionSourceNonce: String?
  package var href: String?
  package var landingURL: String?
  package var userGesture: Bool
  package var app: String?

  package init(
    pageURL: String, attributionSourceID: String?, attributionDestination: String?, attributionSourceNonce: String? = nil,
    href: String? = nil, landingURL: String? = nil, userGesture: Bool = true, app: String? = nil
  ) {
    self.pageURL = pageURL
    self.attributionSourceID = attributionSourceID
    self.attributionDestination = attributionDestination
    self.attributionSourceNonce = attributionSourceNonce
    self.href = href
    self.landingURL = landingURL
    self.userGesture = userGesture
    self.app = app
  }
}

package struct TriggeringEventInput: Hashable, Sendable {
  package var firstPartyURL: String
  package var redirectFrom: String
  package var redirectTo: String
  package var app: String?

  package init(firstPartyURL: String, redirectFrom: String, redirectTo: String, app: String? = nil) {
    self.firstPartyURL = firstPartyURL
    self.redirectFrom = redirectFrom
    self.redirectTo = redirectTo
    self.app = app
  }
}

/// How far a manual clock is to go.
package enum ClockMove: Hashable, Sendable {
  case by(Interval)
  case to(Instant)
  /// To the next instant at which something happens.
  case toNextEvent
  /// Until no report is left to send.
  case untilIdle
}
