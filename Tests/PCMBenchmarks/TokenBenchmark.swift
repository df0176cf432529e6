import PCMCrypto

/// The cost of one token for the browser (blinding, finalising) and the endpoint (signing, verifying), one after another.
/// Prints medians in microseconds.
enum TokenBenchmark {
  private static let tokens = 200

  static func run() throws {
    for size in [TokenPrivateKey.Size.bits2048, .bits4096] { try measure(size) }
  }

  private static func measure(_ size: TokenPrivateKey.Size) throws {
    let signer = try TokenPrivateKey(generating: size)
    let key = try TokenPublicKey(wire: signer.publicKeyWire)
    var (blind, sign, finalize, verify) = ([Double](), [Double](), [Double](), [Double]())
    for number in 0..<tokens {
      let token = try UnlinkableToken(bytes: [UInt8](repeating: UInt8(number % 256), count: UnlinkableToken.byteCount))
      let blinded = try timed(&blind) { try token.blind(with: key) }
      let blindSignature = try timed(&sign) { try signer.sign(blindedMessage: blinded.blindedMessage) }
      let signed = try timed(&finalize) { try blinded.finalize(blindSignature: blindSignature) }
      if !timed(&verify, { key.verifies(signed.signature, over: token) }) { print("unexpected signature") }
    }
    for (name, times) in [("blind", blind), ("sign", sign), ("finalise", finalize), ("verify", verify)] {
      print("\(name)-\(size.rawValue) \((times.median * 10).rounded() / 10)")
    }
  }

  /// Notes how many microseconds the work took.
  private static func timed<Result, Failure: Error>(
    _ times: inout [Double], _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let watch = Stopwatch()
    let result = try work()
    times.append(watch.seconds * 1e6)
    return result
  }
}
