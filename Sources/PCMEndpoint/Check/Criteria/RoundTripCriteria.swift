import PCMCore
import PCMCrypto
import PCMNetwork

extension CheckCatalog {
  /// The rules about a token's round trip: blinded, signed, unblinded, and sent in a report.
  static let roundTripCriteria: [Criterion] = [
    CheckRule(
      "unpaired-tokens-are-refused", "A token without a signature is rejected", .warning, .tokens,
      fix: "Return 400 for a report that has a token without a signature, or a signature without a token."
    ).criterion(restsOn: ["malformed-bodies-do-no-harm"], within: "key-is-json", probes: [.key, .malformedBodies]) { context in
      let sent = context.observations[.malformedBodies].filter {
        context.body(of: $0, .malformedBodies)?.exemption == .isOfTokens
      }
      return .none(of: sent.whose { !$0.isRejected }, "a report with a token but no signature")
    },
    CheckRule(
      "report-with-token-is-accepted", "A report with a token that the endpoint signed is accepted", .error, .tokens,
      fix: "Accept reports with secret tokens and their signatures: they have two to four additional members."
    ).criterion(restsOn: reportGate, within: "signature-verifies", probes: [.tokenReport] + CheckContext.groundwork) {
      context in
      if let lack = context.lack(ofReports: .tokenReport) { return .notApplicable(lack) }
      return .none(of: context.observations[.tokenReport].whose { !$0.isAccepted }, "a report with a token")
    },
    CheckRule(
      "report-with-used-token-is-answered", "A report with a repeated token receives a response other than 5xx", .error,
      .advice,
      fix: "Respond to a report with a repeated token as to any other, and do not count it."
    ).criterion(within: "report-with-token-is-accepted", probes: [.tokenReportAgain]) { context in
      .none(
        of: context.observations[.tokenReportAgain].whose { $0.failure != nil || $0.isFailureOfServer },
        "a report with a repeated token")
    },
    CheckRule(
      "token-is-counted", "A report with a token that the endpoint signed is counted", .error, .draft("RFC 9474"),
      fix: "Verify tokens as RSASSA-PSS with SHA-384 and a salt of 48 bytes over the token's 32 bytes."
    ).counting([.tokenReport], of: { try? $0.signedToken.get().token }, wanted: { $0.first == "accepted" }),
    CheckRule(
      "repeated-token-is-counted-once", "A report with a repeated token is not counted again", .error, .tokens,
      fix: "Store the bytes of the tokens of counted reports."
    ).counting(
      [.tokenReport, .tokenReportAgain], of: { try? $0.signedToken.get().token },
      wanted: { $0.filter { $0 == "accepted" }.count <= 1 }),
    CheckRule(
      "forged-token-is-not-counted", "A report with a token that the endpoint did not sign is not counted", .error, .tokens,
      fix: "Verify the signature of each token before you count the report."
    ).counting([.forgedTokenReport], of: { $0.forgedToken }, wanted: { !$0.contains("accepted") }),
  ]
}

extension CheckRule {
  /// A criterion about counted reports, which only `pcm-browser receive` lists.
  fileprivate func counting(
    _ probes: [Probe], of token: @escaping @Sendable (CheckContext) -> UnlinkableToken?,
    wanted: @escaping @Sendable ([String]) -> Bool
  ) -> Criterion {
    criterion(within: "report-with-token-is-accepted", probes: probes + [.listing]) { context in
      guard context.options.admin != nil else { return .notApplicable("the endpoint does not list counted reports") }
      guard let token = token(context), let verdicts = context.receiverVerdicts(of: token) else {
        return .notApplicable("the endpoint did not list counted reports")
      }
      guard !wanted(verdicts) else { return .passed }
      return .failed(
        "its verdicts are \(verdicts.isEmpty ? "none" : verdicts.joined(separator: ", "))",
        probes.flatMap { context.observations[$0] })
    }
  }
}
