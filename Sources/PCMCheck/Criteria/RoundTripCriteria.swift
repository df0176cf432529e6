import PCMDelivery
import PCMTokens

extension CheckCatalog {
  /// A token all the way: blinded, signed, unblinded, and in a report.
  static let roundTripCriteria: [Criterion] = [
    Criterion(
      CheckRule(
        "unpaired-tokens-are-refused", "A token without its signature is refused", .warning, .draft,
        fix: "Answer 400 to a report that has a token without a signature, or a signature without a token."),
      restsOn: ["malformed-bodies-do-no-harm"], within: "key-is-json", probes: [.key, .malformedBodies]
    ) { inquiry in
      let sent = inquiry.observations[.malformedBodies].filter { inquiry.malformedBody(of: $0)?.exemption == .isOfTokens }
      return .none(of: sent.whose { !$0.isRefused }, "a report with a token and no signature")
    },
    Criterion(
      CheckRule(
        "report-with-token-is-accepted", "A report with a token that the endpoint signed is accepted", .error, .draft,
        fix: "Accept reports with secret tokens and their signatures: they have two to four members more."),
      restsOn: reportGate, within: "signature-verifies", probes: [.tokenReport] + CheckContext.groundwork
    ) { inquiry in
      if let lack = inquiry.lack(ofReports: .tokenReport) { return .notApplicable(lack) }
      return .none(of: inquiry.observations[.tokenReport].whose { !$0.isAccepted }, "a report with a token")
    },
    Criterion(
      CheckRule(
        "report-with-used-token-is-answered", "A report whose token came before is answered, and not with 5xx", .error, .ours,
        fix: "Answer a report whose token you have seen like any other, and do not count it."),
      within: "report-with-token-is-accepted", probes: [.tokenReportAgain]
    ) { inquiry in
      .none(
        of: inquiry.observations[.tokenReportAgain].whose { $0.failure != nil || $0.isFailureOfServer },
        "a report with a token that came before")
    },
    counting(
      CheckRule(
        "token-is-counted", "A report with a token that the endpoint signed counts", .error, .draft,
        fix: "Verify tokens as RSASSA-PSS with SHA-384 and salt 48 over the token's 32 bytes, with the key of who signed."),
      [.tokenReport], of: { try? $0.signedToken.get().token }, wanted: { $0.first == "accepted" }),
    counting(
      CheckRule(
        "repeated-token-is-counted-once", "A report with a token that came before does not count again", .error, .draft,
        fix: "Remember the tokens of the reports that you counted, by their bytes."),
      [.tokenReport, .tokenReportAgain], of: { try? $0.signedToken.get().token },
      wanted: { $0.filter { $0 == "accepted" }.count <= 1 }),
    counting(
      CheckRule(
        "forged-token-is-not-counted", "A report whose token the endpoint did not sign does not count", .error, .draft,
        fix: "Verify the signature of each token before the report counts."),
      [.forgedTokenReport], of: { $0.forgedToken }, wanted: { !$0.contains("accepted") }),
  ]

  /// A criterion about what the endpoint counted, which only `pcm-browser receive` tells.
  private static func counting(
    _ rule: CheckRule, _ probes: [Probe], of token: @escaping @Sendable (CheckContext) -> UnlinkableToken?,
    wanted: @escaping @Sendable ([String]) -> Bool
  ) -> Criterion {
    Criterion(rule, within: "report-with-token-is-accepted", probes: probes + [.listing]) { inquiry in
      guard inquiry.options.admin != nil else { return .notApplicable("the endpoint cannot be asked what it counted") }
      guard let token = token(inquiry), let verdicts = inquiry.receiverVerdicts(of: token) else {
        return .notApplicable("the endpoint did not tell what it counted")
      }
      guard !wanted(verdicts) else { return .passed }
      return .failed(
        "its verdicts are \(verdicts.isEmpty ? "none" : verdicts.joined(separator: ", "))",
        probes.flatMap { inquiry.observations[$0] })
    }
  }
}
