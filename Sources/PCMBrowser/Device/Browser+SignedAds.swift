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
    let (now, draws) = (try await configuration().now, RandomStreams(seed: record.seed).named)
    return try await read { reader in
      let app = try reader.registeredApp(input.bundleIdentifier, on: try reader.device())
      let nonce = draws.uuid("signed-ad/\(try reader.nextSequence())")
      return try input.signed(in: app, nonce: nonce, at: now)
    }
  }
}

extension SignedAdInput {
  /// Returns the body of the call that displays the ad, signed by the test ad network.
  ///
  /// - Parameters:
  ///   - nonce: The UUID of an ad without one.
  ///   - now: The time of an ad without a timestamp.
  func signed(in app: DeviceApp, nonce: String, at now: Instant) throws(BrowserError) -> JSON {
    var values = self
    values.version = version ?? "4.0"
    let item = app.signing == .development ? 0 : app.itemIdentifier
    guard let signed = TestAdNetwork.display(of: values.json, sourceItem: item, nonce: nonce, at: now) else {
      throw .invalidInput([InputError([], "expected values that can be signed")])
    }
    return signed
  }
}
