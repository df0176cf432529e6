import PCMCore
import PCMDelivery
import PCMTokens

extension Browser {
  /// Asks each site for the key that signed its token, before a report shows that token (reference, section 8.4). WebKit
  /// asks the source's site for both; each on its own is what was meant.
  ///
  /// - Returns: why the report must not leave; nil when it may.
  func keyFailure(of report: Report) async -> TransportFailure? {
    for signer in report.signers {
      do throws(TokenReason) {
        let key = try await fetchKey(at: signer.site)
        guard key.id.text == signer.keyID else {
          return TransportFailure(
            .tokenKeyChanged, "\(signer.site.domain) serves another token key than the one that signed the report's token")
        }
      } catch {
        let isInvalid = if case .keyInvalid = error { true } else { false }
        return TransportFailure(isInvalid ? .tokenKeyInvalid : .tokenKeyUnavailable, error.reason.detail)
      }
    }
    return nil
  }
}
