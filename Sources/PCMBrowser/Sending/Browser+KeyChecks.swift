import PCMCore
import PCMCrypto
import PCMNetwork

extension Browser {
  /// Requests the key of each site that signed a token, before a report reveals the token (reference, section 8.4). WebKit
  /// requests both keys from the source's site; the intention is one key from each site.
  ///
  /// - Returns: The failure that prevents sending, or nil.
  func keyFailure(of report: Report, _ context: RequestContext) async -> TransportFailure? {
    for signer in report.signers {
      do throws(Violation) {
        let key = try await fetchKey(at: signer.site, for: .reports, context)
        guard key.id.text == signer.keyID else {
          return TransportFailure(
            .tokenKeyChanged, "\(signer.site.domain) serves a different token key than the one that signed the report's token")
        }
      } catch {
        let isInvalid = error.reason.code == "token-key-invalid"
        return TransportFailure(isInvalid ? .tokenKeyInvalid : .tokenKeyUnavailable, error.reason.detail)
      }
    }
    return nil
  }
}
