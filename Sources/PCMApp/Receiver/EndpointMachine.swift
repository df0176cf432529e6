import PCMHTTP
import PCMTokens

extension EndpointAPI.Machine {
  /// This machine's clock and chance, and the files in which the endpoint's keys are.
  init(_ files: TokenKeyFiles) {
    self.init(
      sleep: { try await SystemTime.sleep(for: $0) }, mintNonce: { Base64URL.encode(SystemChance.bytes(16)) },
      generateKey: { try files.generate() }, saveKeys: { try files.save($1, host: $0) })
  }
}
