package import PCMCore
import PCMDevice
import PCMNetwork
import PCMSimulatedSites
import PCMStore

extension Browser {
  /// Signs an ad with the published test key. Nothing is stored, so the journal has the signed ad of the call that displays it.
  ///
  /// - Returns: The body of the call that displays the ad.
  package func signedAd(_ input: SignedAdInput) async throws -> JSON {
    var values = input
    values.version = input.version ?? "4.0"
    let ad = values.json
    let (now, draws) = (try await configuration().now, RandomStreams(seed: record.seed).named)
    return try await read { reader in
      let app = try reader.registeredApp(input.bundleIdentifier, on: try reader.device())
      let nonce = draws.uuid("signed-ad/\(try reader.nextSequence())")
      let item = app.signing == .development ? 0 : app.itemIdentifier
      guard let signed = TestAdNetwork.display(of: ad, sourceItem: item, nonce: nonce, at: now) else {
        throw BrowserError.invalidInput([InputError([], "expected values that can be signed")])
      }
      return signed
    }
  }
}
