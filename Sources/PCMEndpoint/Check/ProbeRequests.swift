import PCMCore
import PCMCrypto
import PCMNetwork

/// The requests of the probes, a pure function of the observations.
extension CheckContext {
  /// Returns the next requests of a probe; empty if all were sent. Most probes send all requests in the first round.
  func requests(of probe: Probe) -> [ProbeRequest] {
    let round = observations[probe].count
    switch probe {
    case .reverseOrder:
      let values = values(of: probe)
      return round < values.count ? [report(values[values.count - 1 - round])] : []
    case .listing: return nextListing()
    case .redirectTargets: return nextTarget.map { [$0] } ?? []
    default: return round == 0 ? firstRequests(of: probe) : []
    }
  }

  private func firstRequests(of probe: Probe) -> [ProbeRequest] {
    switch probe {
    case .handshake: return [handshake(.browser)]
    case .inspection:
      // Only a rejected certificate needs inspection.
      return observations.first(.handshake)?.failure?.code == .certificateRefused ? [handshake(.browser)] : []
    case .plainHTTP:
      let failure = observations.first(.handshake)?.failure
      return failure.map { Self.failuresOfTLS.contains($0.code) } == true ? [plainRequest] : []
    case .handshakeFrom13: return [handshake(.from13)]
    case .handshakeBefore12: return [handshake(.before12)]
    case .key: return options.tokens == .off ? [] : [ProbeRequest(BrowserRequest.tokenKey(at: site))]
    case .keyAgain:
      let key = ProbeRequest(BrowserRequest.tokenKey(at: site))
      return [key, key.setting("User-Agent", to: Self.otherUserAgent).overHTTP1]
    case .mint: return mintRequests
    case .pixel:
      return options.pixel.map { [ProbeRequest(BrowserRequest.pageLoad(method: .get, url: $0.text, cookies: []))] } ?? []
    case .sign, .signWithUsedNonce, .signWithUnknownNonce, .signWithMalformedNonce, .signNothing, .signWrongSize,
      .signAboveModulus:
      return signRequests(of: probe)
    case .tokenReport, .tokenReportAgain, .forgedTokenReport: return tokenReports(of: probe)
    case .unrelatedPaths, .dotPath, .firstOverHTTP1, .malformedFirst: return comparisons(of: probe)
    case .reportVariants, .postbackVariants: return isFirstRefused ? variants.map(\.request) : []
    default: return Probe.ofPostbacks.contains(probe) ? postbacks(of: probe) : reports(of: probe)
    }
  }

  /// The requests to the well-known path for reports.
  private func reports(of probe: Probe) -> [ProbeRequest] {
    switch probe {
    case .report: return [report(options.subjects.first)]
    case .reportAgain:
      guard let refused = observations.refused ?? firstSent, !refused.exchange.isAccepted else { return [] }
      return [refused.request]
    case .repetition, .smallestValues, .largestValues, .survey: return acceptsReports ? plainReports(of: probe) : []
    case .malformedBodies: return malformedReports.map { report(bytes: $0.bytes) }
    case .control, .laterControl: return acceptsReports ? variations(of: probe) : []
    case .oversizedBody: return [report(bytes: ProbeBody.oversized.bytes)]
    case .getReport: return [report(options.subjects.first).asGET]
    default: return variations(of: probe)
    }
  }

  /// Returns reports as a browser sends them, which differ only in their values.
  private func plainReports(of probe: Probe) -> [ProbeRequest] {
    let values =
      switch probe {
      case .repetition: [options.subjects.first]
      case .smallestValues: [options.subjects.smallest].compactMap { $0 }
      case .largestValues: [options.subjects.largest].compactMap { $0 }
      default: survey
      }
    return values.map { report($0) }
  }

  /// Returns reports that differ from a browser's reports in one aspect that must have no effect, and concurrent reports.
  private func variations(of probe: Probe) -> [ProbeRequest] {
    let (values, page) = (values(of: probe), "https://\(options.subjects.otherSite(of: options.role))")
    return zip(values.indices, values).map { index, values in
      switch probe {
      case .reportOverHTTP1: report(values).overHTTP1
      case .reportFromOtherAgents: refused(values).setting("User-Agent", to: index == 0 ? Self.otherUserAgent : nil)
      case .reportWithCookie: refused(values).setting("Cookie", to: "session=1; consent=1")
      case .reportWithReferrer: refused(values).setting("Referer", to: page + "/").setting("Origin", to: page)
      case .olderVersions: report(values, version: Int64(index + 1))
      case .unknownMembers:
        report(
          values,
          adding: [
            .init("pcm_check_text", "unknown"), .init("pcm_check_object", ["a": [1, .null]]),
            .init("pcm_check_flag", .bool(true)),
          ])
      default: report(values)
      }
    }
  }

  /// A plain HTTP request to the TLS port.
  private var plainRequest: ProbeRequest {
    ProbeRequest(BrowserRequest.pageLoad(method: .get, url: options.plainURL, cookies: []))
  }

  private func handshake(_ version: ConnectionTerms.TLSVersion) -> ProbeRequest {
    ProbeRequest(
      OutgoingRequest(method: .get, url: options.handshakeURL, headers: [], body: nil),
      ConnectionTerms(tls: version, endsWithHandshake: true))
  }

  /// Returns a report as a browser sends it.
  ///
  /// - Parameter members: Additional members, after the members of every report.
  func report(
    _ values: ReportValues, version: Int64 = ReportBody.version, adding members: [JSON.Member] = []
  ) -> ProbeRequest {
    report(bytes: JSON.object(plainMembers(values, version: version) + members).bytes)
  }

  /// The members of a report without tokens.
  private func plainMembers(_ values: ReportValues, version: Int64 = ReportBody.version) -> [JSON.Member] {
    values.members(of: options.role, at: site.domain, other: options.subjects.otherSite(of: options.role), version: version)
  }

  /// Bodies that are not reports. Their valid members have accepted values, so that the endpoint rejects only the invalid
  /// members.
  var malformedReports: [ProbeBody] {
    ProbeBody.malformedReports(from: plainMembers(options.subjects.first), of: options.role)
  }

  /// Returns a report with the URL and the headers of the first report, or of the passage in its place.
  private func report(bytes: [UInt8]) -> ProbeRequest {
    (firstSent?.request ?? ProbeRequest(BrowserRequest.report(url: ReportBody.url(at: site), body: ""))).changed(body: bytes)
  }

  /// Returns a report with the headers of a browser, also after another variant was accepted.
  private func refused(_ values: ReportValues) -> ProbeRequest {
    let report = report(values)
    return observations.refused.map { $0.request.changed(body: report.body) } ?? report
  }

  /// A user agent of a different, older system.
  private static let otherUserAgent =
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)"
}

extension CheckContext {
  /// The requests with postbacks.
  private func postbacks(of probe: Probe) -> [ProbeRequest] {
    guard let postbacks = options.postbacks else { return [] }
    return postbacks.bodies(of: probe).map { body in
      let postback = postback(body.bytes, postbacks)
      return switch probe {
      case .getPostback: postback.asGET
      case .postbackFromOtherAgent: postback.setting("User-Agent", to: nil)
      case .postbackAsText: postback.setting("Content-Type", to: "text/plain")
      case .postbackOverHTTP1: postback.overHTTP1
      default: postback
      }
    }
  }

  func postback(_ bytes: [UInt8], _ postbacks: PostbackSubjects) -> ProbeRequest {
    (firstSent?.request ?? ProbeRequest(DeviceRequest.postback(url: postbacks.url, body: ""))).changed(body: bytes)
  }
}

extension ProbeRequest {
  /// Returns the request with another value of a header, or without the header.
  func setting(_ name: String, to value: String?) -> ProbeRequest {
    changed(headers: request.headers.filter { $0.name != name } + (value.map { [.init(name, $0)] } ?? []), body: request.body)
  }

  /// The request as GET, without a body.
  var asGET: ProbeRequest { changed(.get, headers: request.headers.filter { $0.name != "Content-Type" }, body: nil) }

  /// The request without HTTP/2.
  var overHTTP1: ProbeRequest { ProbeRequest(request, ConnectionTerms(offersHTTP2: false)) }

  func changed(
    _ method: OutgoingRequest.Method? = nil, url: String? = nil, headers: [OutgoingRequest.Header]? = nil, body: [UInt8]?
  ) -> ProbeRequest {
    ProbeRequest(
      OutgoingRequest(
        kind: request.kind, method: method ?? request.method, url: url ?? request.url, headers: headers ?? request.headers,
        body: body), terms)
  }
}
