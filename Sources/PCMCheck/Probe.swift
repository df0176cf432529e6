/// One thing that is tried with an endpoint: a request, or several that belong together.
package enum Probe: String, Hashable, Sendable, CaseIterable {
  /// A connection as a browser makes it.
  case handshake
  /// The same without looking at certificates, to see which one a browser refuses.
  case inspection
  /// A request without TLS, where a connection with it fails.
  case plainHTTP
  case handshakeFrom13
  case handshakeBefore12

  /// A report as a browser sends it.
  case report
  case reportOverHTTP1
  /// As browsers of other systems send it, and without a user agent.
  case reportFromOtherAgents
  case reportWithCookie
  case reportWithReferrer
  /// The first report once more, if it was refused.
  case reportAgain
  /// As many plain reports at once as those before that differ in something, if the first was accepted.
  case control
  /// The same after what is no report.
  case laterControl

  case olderVersions
  case unknownMembers
  case smallestValues
  case largestValues
  /// Plain reports that show which values the endpoint accepts, when it refuses the smallest or the largest.
  case survey
  /// A later report first, then an earlier one.
  case reverseOrder
  /// The first report once more, if it was accepted.
  case repetition

  case malformedBodies
  case oversizedBody
  case getReport

  /// Many reports at once.
  case load

  case key
  /// Once more, and as another client.
  case keyAgain

  /// Asks `pcm-browser receive` for nonces.
  case mint
  case sign
  case signWithUsedNonce
  case signWithUnknownNonce
  case signWithMalformedNonce
  case signNothing
  case signWrongSize
  case signAboveModulus

  case tokenReport
  case tokenReportAgain
  case forgedTokenReport
  /// Asks `pcm-browser receive` what it counted.
  case listing

  case pixel

  /// All of them in the order in which they are sent; what stands together is sent at once.
  static let steps: [[Probe]] = [
    [.handshake], [.inspection, .plainHTTP], [.handshakeFrom13, .handshakeBefore12],
    [.report], [.repetition], [.smallestValues, .largestValues], [.survey],
    [.reportOverHTTP1, .reportFromOtherAgents, .reportWithCookie, .reportWithReferrer], [.reportAgain],
    [.olderVersions, .unknownMembers], [.reverseOrder], [.control],
    [.malformedBodies, .oversizedBody, .getReport], [.laterControl],
    [.key], [.keyAgain],
    [.mint], [.sign],
    [.signWithUsedNonce, .signWithUnknownNonce, .signWithMalformedNonce, .signNothing, .signWrongSize, .signAboveModulus],
    [.tokenReport], [.tokenReportAgain, .forgedTokenReport], [.listing],
    [.pixel],
    // The last, because an endpoint may refuse further requests after it.
    [.load],
  ]

  static let controlCount = 5
  static let loadCount = 50
  static let nonceCount = 3
  /// As many pages as `pcm-browser receive` lists requests, by a thousand, and one for those that come meanwhile.
  static let listingPages = 11

  /// The most requests that it takes.
  func mostRequests(_ options: CheckOptions) -> Int {
    switch self {
    case .control, .laterControl: Self.controlCount
    case .reportFromOtherAgents, .olderVersions, .reverseOrder: 2
    case .smallestValues: options.subjects.smallest == nil ? 0 : 1
    case .largestValues: options.subjects.largest == nil ? 0 : 1
    case .survey: options.subjects.survey.count
    case .key, .keyAgain, .mint, .sign, .signWithUsedNonce, .signWithUnknownNonce, .signWithMalformedNonce, .signNothing,
      .signWrongSize, .signAboveModulus, .tokenReport, .tokenReportAgain, .forgedTokenReport, .listing:
      options.tokens == .off ? 0 : mostTokenRequests(options)
    case .malformedBodies: MalformedBody.count
    case .load: Self.loadCount
    case .pixel: options.pixel == nil ? 0 : 1
    default: 1
    }
  }

  private func mostTokenRequests(_ options: CheckOptions) -> Int {
    switch self {
    case .keyAgain: 2
    case .signWithMalformedNonce: MalformedNonce.all.count
    case .mint: options.admin == nil ? 0 : 1
    case .listing: options.admin == nil ? 0 : Self.listingPages
    case .key, .signWithUnknownNonce, .signNothing: 1
    default: options.nonces == .none ? 0 : 1
    }
  }
}
