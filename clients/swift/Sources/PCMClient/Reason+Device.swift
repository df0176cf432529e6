// Reasons for rejecting an ad, and notes about a recorded ad.
extension Reason.Code {
  /// The app does not run on iPhone or iPad.
  public static let platformUnsupported = Self("platform-unsupported")
  /// The version does not exist.
  public static let versionUnknown = Self("version-unknown")
  /// The version has no view-through ads.
  public static let viewThroughTooOld = Self("view-through-too-old")
  /// The system or the SDK is too old for the version, or too new for version 1.0.
  public static let versionNotSupported = Self("version-not-supported")
  /// The ad lacks a value.
  public static let valueMissing = Self("value-missing")
  /// The identifier of the ad network has upper-case letters.
  public static let adNetworkIDNotLowerCase = Self("ad-network-id-not-lower-case")
  /// The Info.plist does not list the ad network.
  public static let adNetworkNotDeclared = Self("ad-network-not-declared")
  /// The ad network is not registered.
  public static let adNetworkNotRegistered = Self("ad-network-not-registered")
  /// The campaign is not from 1 to 100.
  public static let campaignOutOfRange = Self("campaign-out-of-range")
  /// The source identifier has more than four digits.
  public static let sourceIdentifierOutOfRange = Self("source-identifier-out-of-range")
  /// The advertised app has no valid identifier.
  public static let advertisedAppInvalid = Self("advertised-app-invalid")
  /// The source app has no valid identifier.
  public static let sourceAppInvalid = Self("source-app-invalid")
  /// The ad is signed for another source app.
  public static let sourceAppMismatch = Self("source-app-mismatch")
  /// The nonce is not a UUID.
  public static let nonceNotAUUID = Self("nonce-not-a-uuid")
  /// The timestamp is not in milliseconds.
  public static let timestampNotMilliseconds = Self("timestamp-not-milliseconds")
  /// The signature cannot be read.
  public static let signatureMalformed = Self("signature-malformed")
  /// The signature does not verify.
  public static let signatureInvalid = Self("signature-invalid")
  /// The app's SDK is too old.
  public static let sdkTooOld = Self("sdk-too-old")
  /// The system is too old.
  public static let systemTooOld = Self("system-too-old")
  /// The JSON Web Signature does not have three parts.
  public static let jwsComponentsInvalid = Self("jws-components-invalid")
  /// The header cannot be used.
  public static let jwsHeaderInvalid = Self("jws-header-invalid")
  /// The payload cannot be used.
  public static let jwsPayloadInvalid = Self("jws-payload-invalid")
  /// The impression was created more than 15 minutes before the tap.
  public static let appImpressionExpired = Self("app-impression-expired")
  /// The session is private.
  public static let privateSession = Self("private-session")
  /// The ad network did not respond with status 200.
  public static let payloadStatus = Self("payload-status")
  /// The response is not application/json.
  public static let payloadContentType = Self("payload-content-type")
  /// The response is not a JSON object.
  public static let payloadNotAnObject = Self("payload-not-an-object")
  /// The response has another version than 4.0.
  public static let payloadVersion = Self("payload-version")
  /// A member of the response is missing or has another type.
  public static let payloadInvalid = Self("payload-invalid")
  /// A signed value differs from the click.
  public static let payloadMismatch = Self("payload-mismatch")
  /// The ad serves only for tests.
  public static let developmentImpression = Self("development-impression")
  /// The signed time differs from the clock by more than a day.
  public static let timestampOff = Self("timestamp-off")
  /// The payload has a member that the device does not read.
  public static let payloadMemberUnknown = Self("payload-member-unknown")
}

// Reasons for rejecting the end of a view, and for no longer keeping an ad.
extension Reason.Code {
  /// No view has started.
  public static let viewNotStarted = Self("view-not-started")
  /// The ad was not displayed long enough.
  public static let viewTooShort = Self("view-too-short")
  /// A second start replaced the view.
  public static let viewReplaced = Self("view-replaced")
  /// Fifteen views of a source app are kept.
  public static let tooManyViews = Self("too-many-views")
  /// The ad is too old.
  public static let impressionExpired = Self("impression-expired")
  /// The ad took part in an earlier decision.
  public static let impressionUsed = Self("impression-used")
}

// Reasons why an ad has no postback, or a tap is no re-engagement.
extension Reason.Code {
  /// The app is signed for development.
  public static let appNotFromStore = Self("app-not-from-store")
  /// The app is not from the App Store.
  public static let otherMarketplace = Self("other-marketplace")
  /// The advertised app ignores the interaction.
  public static let interactionIgnored = Self("interaction-ignored")
  /// A cooldown is running.
  public static let cooldown = Self("cooldown")
  /// Another ad serves for more than tests.
  public static let developmentImpressionIgnored = Self("development-impression-ignored")
  /// Six ads are considered.
  public static let beyondSix = Self("beyond-six")
  /// The version has no runners-up.
  public static let runnerUpVersion = Self("runner-up-version")
  /// The ad network has the winning ad.
  public static let networkWon = Self("network-won")
  /// The ad network has a better runner-up.
  public static let networkRanUp = Self("network-already-runner-up")
  /// The interaction is a view.
  public static let reEngagementNeedsAClick = Self("re-engagement-needs-a-click")
  /// The ad is not eligible for re-engagement.
  public static let notEligibleForReEngagement = Self("not-eligible-for-re-engagement")
}

// Reasons for rejecting a conversion value, and for a window without a postback.
extension Reason.Code {
  /// The value is not from 0 to 63.
  public static let conversionValueOutOfRange = Self("conversion-value-out-of-range")
  /// No conversion is pending.
  public static let nothingPending = Self("nothing-pending")
  /// The call does not reach SKAdNetwork.
  public static let otherFramework = Self("other-framework")
  /// No conversion of the type is pending.
  public static let noConversionOfType = Self("no-conversion-of-type")
  /// The app may not use conversion tags.
  public static let conversionTagNotSupported = Self("conversion-tag-not-supported")
  /// No re-engagement has the tag.
  public static let conversionTagUnknown = Self("conversion-tag-unknown")
  /// The app was launched too late.
  public static let launchTooLate = Self("launch-too-late")
  /// The first value was reported too late.
  public static let firstUpdateTooLate = Self("first-update-too-late")
  /// The values are final.
  public static let conversionEnded = Self("conversion-ended")
  /// The window is locked.
  public static let windowLocked = Self("window-locked")
  /// The window needs a coarse value.
  public static let coarseValueMissing = Self("coarse-value-missing")
  /// The window ignores the fine value of a call that counts.
  public static let fineValueIgnored = Self("fine-value-ignored")
  /// The value is not greater than the earlier one.
  public static let valueNotGreater = Self("value-not-greater")
  /// The app is registered.
  public static let alreadyRegistered = Self("already-registered")
  /// The app reported no value in the window.
  public static let noUpdateInWindow = Self("no-update-in-window")
  /// The app was never launched.
  public static let neverLaunched = Self("never-launched")
  /// The app never reported a value.
  public static let neverUpdated = Self("never-updated")
  /// Another conversion replaced this conversion.
  public static let conversionSuperseded = Self("conversion-superseded")
  /// The developer cleared the development postbacks.
  public static let developmentPostbacksCleared = Self("development-postbacks-cleared")
  /// The crowd is too small for the postback.
  public static let lowestTier = Self("lowest-tier")
  /// The version has no conversion values.
  public static let versionWithoutValues = Self("version-without-values")
  /// The ad did not win.
  public static let runnerUp = Self("runner-up")
  /// The app reported no such value.
  public static let valueNotReported = Self("value-not-reported")
  /// The crowd does not meet the privacy threshold.
  public static let belowPrivacyThreshold = Self("below-privacy-threshold")
  /// The tier is too low for the field.
  public static let tierTooLow = Self("tier-too-low")
  /// The install has no country.
  public static let countryUnknown = Self("country-unknown")
  /// The system sends no country.
  public static let countryNotSupported = Self("country-not-supported")
  /// The system sends no copies.
  public static let copyNotSupported = Self("copy-not-supported")
  /// The app does not request copies for re-engagements.
  public static let copyNotRequested = Self("copy-not-requested")
  /// The app names no endpoint for copies.
  public static let copyEndpointMissing = Self("copy-endpoint-missing")
}

// Reasons for dropping a content card, and for not counting an impression, a click, or a dismissal.
extension Reason.Code {
  /// The card cannot be read.
  public static let cardUnreadable = Self("card-unreadable")
  /// A time of the card is in milliseconds: a note.
  public static let cardTimeInMilliseconds = Self("card-time-in-milliseconds")
  /// A name in the extras is nearly the name of a parameter: a note.
  public static let cardParameterMisspelled = Self("card-parameter-misspelled")
  /// The card was dismissed.
  public static let cardDismissed = Self("card-dismissed")
  /// The card expired.
  public static let cardExpired = Self("card-expired")
  /// The card is of the control group.
  public static let controlGroup = Self("control-group")
  /// The app does not know the class of the card.
  public static let cardClassUnknown = Self("card-class-unknown")
  /// The card lacks a field.
  public static let cardFieldMissing = Self("card-field-missing")
  /// The last impression was too recent.
  public static let impressionTooRecent = Self("impression-too-recent")
  /// The card has no URL.
  public static let cardWithoutURL = Self("card-without-url")
  /// The card is not dismissible.
  public static let cardNotDismissible = Self("card-not-dismissible")
  /// The measurement parameters of the card cannot be used.
  public static let cardAdInvalid = Self("card-ad-invalid")
}

// Reasons of tracking.
extension Reason.Code {
  /// The Info.plist has no `NSUserTrackingUsageDescription`.
  public static let usageDescriptionMissing = Self("usage-description-missing")
  /// Tracking is restricted on the device.
  public static let trackingRestricted = Self("tracking-restricted")
  /// The user answered the prompt before.
  public static let alreadyAnswered = Self("already-answered")
  /// Apps may not ask on the device.
  public static let trackingRequestsOff = Self("tracking-requests-off")
  /// The app is not active.
  public static let appNotActive = Self("app-not-active")
  /// An extension made the call.
  public static let calledByExtension = Self("called-by-extension")
  /// Another prompt is displayed.
  public static let promptPending = Self("prompt-pending")
  /// The app's prompt is not displayed.
  public static let noPrompt = Self("no-prompt")
  /// The app's prompt has no answer.
  public static let neverAnswered = Self("never-answered")
  /// The user has answered, so the event does not wait.
  public static let statusDetermined = Self("status-determined")
  /// The measurement SDK has waited before.
  public static let waitingOver = Self("waiting-over")
  /// The app sets no waiting interval.
  public static let noWaitingInterval = Self("no-waiting-interval")
  /// The measurement SDK waits for a shorter time than the app wants: a note.
  public static let waitingIntervalCut = Self("waiting-interval-cut")
  /// The user does not allow tracking.
  public static let trackingNotAuthorized = Self("tracking-not-authorized")
}
