/// A test of an endpoint: one or several related requests.
package enum Probe: String, Hashable, Sendable, CaseIterable {
  /// A connection with the parameters of a browser.
  case handshake
  /// A connection without certificate verification, to read a certificate that browsers reject.
  case inspection
  /// A request without TLS, if a connection with TLS fails.
  case plainHTTP
  case handshakeFrom13
  case handshakeBefore12

  /// A report with the parameters of a browser.
  case report
  /// The first report or postback over HTTP/1.1, if it received no response over HTTP/2.
  case firstOverHTTP1
  /// The first report or postback to paths without a route.
  case unrelatedPaths
  /// The first report or postback to a path that begins with a dot, if it was refused at the well-known path.
  case dotPath
  /// The first report or postback at the targets of its redirects on the same site.
  case redirectTargets
  /// A body that is neither a report nor a postback, if the first message received the same response at an unrelated path.
  case malformedFirst
  /// Reports that differ from the first report in one aspect, if it was refused.
  case reportVariants
  case reportOverHTTP1
  /// Reports of browsers on other systems, and without a user agent.
  case reportFromOtherAgents
  case reportWithCookie
  case reportWithReferrer
  /// The first report again, if it was rejected.
  case reportAgain
  /// As many concurrent plain reports as there were variations, if the first report was accepted.
  case control
  /// Plain reports after the malformed bodies.
  case laterControl

  case olderVersions
  case unknownMembers
  case smallestValues
  case largestValues
  /// Plain reports that test the values, if the endpoint rejects the smallest or the largest values.
  case survey
  /// Two reports, sent in reverse order.
  case reverseOrder
  /// The first report again, if it was accepted.
  case repetition

  case malformedBodies
  case oversizedBody
  case getReport

  /// Many concurrent reports.
  case load

  case key
  /// The key again, from the same and from another client.
  case keyAgain

  /// A request for nonces to `pcm-browser receive`.
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
  /// A request for the counted reports to `pcm-browser receive`.
  case listing

  case pixel

  /// A valid postback with the parameters of a device.
  case postback
  /// Postbacks that differ from the first postback in one aspect, if it was refused.
  case postbackVariants
  /// The same postback again.
  case repeatedPostback
  /// Apple's examples of older versions, and of a postback that did not win.
  case olderPostbacks
  case runnerUpPostback
  /// Valid postbacks that are signed with the published test keys.
  case testPostbacks
  case postbackOverHTTP1
  /// The first postback with another user agent.
  case postbackFromOtherAgent
  case postbackAsText
  /// Postbacks whose signatures are invalid.
  case forgedPostbacks
  /// Postbacks with values that no device sends.
  case invalidPostbacks
  /// Bodies that are not postbacks.
  case malformedPostbacks
  case oversizedPostback
  case getPostback
  /// Many concurrent copies of the first postback.
  case postbackLoad

  /// The probes of postback endpoints.
  static let ofPostbacks: Set<Probe> = [
    .postback, .postbackVariants, .repeatedPostback, .olderPostbacks, .runnerUpPostback, .testPostbacks, .postbackOverHTTP1,
    .postbackFromOtherAgent, .postbackAsText, .forgedPostbacks, .invalidPostbacks, .malformedPostbacks, .oversizedPostback,
    .getPostback, .postbackLoad,
  ]

  /// The probes in order. The probes of a step are sent concurrently.
  static let steps: [[Probe]] = [
    [.handshake], [.inspection, .plainHTTP], [.handshakeFrom13, .handshakeBefore12],
    [.report, .postback], [.firstOverHTTP1, .unrelatedPaths, .dotPath], [.redirectTargets],
    [.malformedFirst, .getReport, .getPostback, .reportVariants, .postbackVariants], [.repetition],
    [.smallestValues, .largestValues], [.survey],
    [.reportOverHTTP1, .reportFromOtherAgents, .reportWithCookie, .reportWithReferrer], [.reportAgain],
    [.olderVersions, .unknownMembers], [.reverseOrder], [.control],
    [.malformedBodies, .oversizedBody], [.laterControl],
    [.key], [.keyAgain],
    [.mint], [.sign],
    [.signWithUsedNonce, .signWithUnknownNonce, .signWithMalformedNonce, .signNothing, .signWrongSize, .signAboveModulus],
    [.tokenReport], [.tokenReportAgain, .forgedTokenReport], [.listing],
    [.pixel],
    [.repeatedPostback], [.olderPostbacks, .runnerUpPostback, .testPostbacks],
    [.postbackOverHTTP1, .postbackFromOtherAgent, .postbackAsText], [.forgedPostbacks, .invalidPostbacks],
    [.malformedPostbacks, .oversizedPostback],
    // The load probes are last, because the endpoint may reject later requests.
    [.load], [.postbackLoad],
  ]

  static let controlCount = 5
  static let loadCount = 50
  static let redirectCount = 3
  static let headerVariantCount = 3
  static let reportVariantCount = 3 + headerVariantCount
  static let nonceCount = 3
  /// The number of pages of 1,000 requests that `pcm-browser receive` lists, plus one for concurrent requests.
  static let listingPages = 11

  /// The maximum number of requests of the probe.
  func maximumRequests(_ options: CheckOptions) -> Int {
    switch self {
    case .unrelatedPaths: options.unrelatedURLs.count
    case .redirectTargets: Self.redirectCount
    case .dotPath: options.dotURL == nil ? 0 : 1
    case .reportVariants: Self.reportVariantCount
    case .postbackVariants: (options.postbacks?.bodies(of: self).count ?? 0) + Self.headerVariantCount
    case _ where Self.ofPostbacks.contains(self): options.postbacks?.bodies(of: self).count ?? 0
    case .control, .laterControl: Self.controlCount
    case .reportFromOtherAgents, .olderVersions, .reverseOrder: 2
    case .smallestValues: options.subjects.smallest == nil ? 0 : 1
    case .largestValues: options.subjects.largest == nil ? 0 : 1
    case .survey: options.subjects.survey.count
    case .key, .keyAgain, .mint, .sign, .signWithUsedNonce, .signWithUnknownNonce, .signWithMalformedNonce, .signNothing,
      .signWrongSize, .signAboveModulus, .tokenReport, .tokenReportAgain, .forgedTokenReport, .listing:
      options.tokens == .off ? 0 : maximumTokenRequests(options)
    case .malformedBodies: ProbeBody.malformedReportCount
    case .load: Self.loadCount
    case .pixel: options.pixel == nil ? 0 : 1
    default: 1
    }
  }

  private func maximumTokenRequests(_ options: CheckOptions) -> Int {
    switch self {
    case .keyAgain: 2
    case .signWithMalformedNonce: ProbeBody.malformedNonces.count
    case .mint: options.admin == nil ? 0 : 1
    case .listing: options.admin == nil ? 0 : Self.listingPages
    case .key, .signWithUnknownNonce, .signNothing: 1
    default: options.nonces == .none ? 0 : 1
    }
  }
}
