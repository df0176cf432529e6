import PCMCore
import PCMDelivery
import PCMTokens

/// What the probes send. Pure: the same inquiry, the same requests.
extension Inquiry {
  /// What a probe sends next; nothing when it has sent all. Most send everything at once, in the first round.
  func requests(of probe: Probe) -> [OutgoingRequest] {
    let round = observations[probe].count
    switch probe {
    case .reverseOrder: return round < 2 ? [report(sourceID: round == 0 ? 9 : 8)] : []
    case .repetition: return round < 2 ? [report(sourceID: 10)] : []
    case .listing: return nextListing()
    default: return round == 0 ? firstRequests(of: probe) : []
    }
  }

  private func firstRequests(of probe: Probe) -> [OutgoingRequest] {
    switch probe {
    case .handshake: return [handshake(.browser)]
    case .inspection:
      // Only where there is something to find out.
      return observations.first(.handshake)?.failure?.code == .certificateRefused ? [handshake(.browser)] : []
    case .handshakeFrom13: return [handshake(.from13)]
    case .handshakeBefore12: return [handshake(.before12)]
    case .key: return options.tokens == .off ? [] : [BrowserRequest.tokenKey(at: site).examined()]
    case .keyAgain:
      let key = BrowserRequest.tokenKey(at: site)
      return [key.examined(), key.examined(ExaminationTerms(httpVersion: .only1), userAgent: Self.otherUserAgent)]
    case .mint: return mintRequests
    case .pixel: return options.pixel.map { [BrowserRequest.pageLoad(method: .get, url: $0.text, cookies: [])] } ?? []
    case .sign, .signWithUsedNonce, .signWithUnknownNonce, .signWithMalformedNonce, .signNothing, .signWrongSize,
      .signAboveModulus:
      return signRequests(of: probe)
    case .tokenReport, .tokenReportAgain, .forgedTokenReport: return tokenReports(of: probe)
    default: return reports(of: probe)
    }
  }

  /// What goes to the well-known path for reports.
  private func reports(of probe: Probe) -> [OutgoingRequest] {
    let page = "https://\(otherSite)"
    switch probe {
    case .report: return [report()]
    case .reportAgain: return observations.first(.report)?.isAccepted == false ? [report()] : []
    case .reportOverHTTP1: return [report().examined(ExaminationTerms(httpVersion: .only1))]
    case .reportFromOtherAgents: return [report().examined(userAgent: Self.otherUserAgent), report().examined(userAgent: nil)]
    case .reportWithCookie: return [report().examined(adding: [.init("Cookie", "session=1; consent=1")])]
    case .reportWithReferrer: return [report().examined(adding: [.init("Referer", page + "/"), .init("Origin", page)])]
    case .olderVersions: return [report(version: 1), report(version: 2)]
    case .unknownMembers:
      return [
        report(adding: [
          .init("pcm_check_text", "unknown"), .init("pcm_check_object", ["a": [1, .null]]),
          .init("pcm_check_flag", .bool(true)),
        ])
      ]
    case .smallestValues: return [report(sourceID: 0, data: 0)]
    case .largestValues: return [report(sourceID: 255, data: 15)]
    case .malformedBodies: return MalformedBody.all.map { report(bytes: $0.bytes) }
    case .oversizedBody: return [report(bytes: MalformedBody.oversized)]
    case .getReport:
      let report = report()
      return [
        OutgoingRequest(
          kind: report.kind, method: .get, url: report.url, headers: report.headers.filter { $0.name != "Content-Type" },
          body: nil)
      ]
    case .load: return (0..<Probe.loadCount).map { report(sourceID: 100 + Int64($0)) }
    default: return []
    }
  }

  private func handshake(_ version: ExaminationTerms.TLSVersion) -> OutgoingRequest {
    OutgoingRequest(
      kind: .examination(ExaminationTerms(tls: version, endsWithHandshake: true)), method: .get,
      url: "https://\(site.domain)/", headers: [], body: nil)
  }

  /// A report as a browser sends it.
  ///
  /// - Parameter members: go behind those that every report has.
  func report(
    sourceID: Int64 = 7, data: Int64 = 3, version: Int64 = ReportBody.version, adding members: [JSON.Member] = []
  ) -> OutgoingRequest {
    let sites = options.role == .source ? (site.domain, otherSite) : (otherSite, site.domain)
    let plain: [JSON.Member] = [
      .init("source_engagement_type", "click"), .init("source_site", .string(sites.0)), .init("source_id", .number(sourceID)),
      .init("attributed_on_site", .string(sites.1)), .init("trigger_data", .number(data)), .init("version", .number(version)),
    ]
    return report(bytes: JSON.object(plain + members).bytes)
  }

  private func report(bytes: [UInt8]) -> OutgoingRequest {
    let report = BrowserRequest.report(url: ReportBody.url(at: site), body: "").examined()
    return OutgoingRequest(kind: report.kind, method: .post, url: report.url, headers: report.headers, body: bytes)
  }

  /// The other party of the reports: a name that nobody has (RFC 2606).
  private var otherSite: String { options.role == .source ? "destination.example" : "source.example" }

  /// Of a system with another name, and of an older one.
  private static let otherUserAgent =
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)"
}

extension OutgoingRequest {
  /// The same, so that more is seen of it.
  func examined(_ terms: ExaminationTerms = ExaminationTerms(), adding more: [Header] = []) -> OutgoingRequest {
    OutgoingRequest(kind: .examination(terms), method: method, url: url, headers: headers + more, body: body)
  }

  /// The same from another user agent, or without naming one.
  func examined(_ terms: ExaminationTerms = ExaminationTerms(), userAgent: String?) -> OutgoingRequest {
    let others = headers.filter { $0.name != "User-Agent" }
    let agent = userAgent.map { [Header("User-Agent", $0)] } ?? []
    return OutgoingRequest(kind: .examination(terms), method: method, url: url, headers: others + agent, body: body)
  }
}
