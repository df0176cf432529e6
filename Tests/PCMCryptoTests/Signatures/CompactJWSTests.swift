import PCMCore
import PCMCrypto
import SignatureSupport
import Testing

@Suite struct CompactJWSTests {
  private static func part(_ json: String) -> String { Base64URL.encode(Array(json.utf8)) }
  private static let header = part(#"{"kid":"a\/0","alg":"ES256"}"#)
  private static let payload = part("{}")
  private static let signature = Base64URL.encode([UInt8](repeating: 1, count: 64))

  @Test func aTextIsReadWithoutWritingItAgain() throws {
    let text = "\(Self.header).\(Self.payload).\(Self.signature)"
    let jws = try CompactJWS(text)
    #expect(jws.keyIdentifier == "a/0")
    #expect(jws.signingInput == "\(Self.header).\(Self.payload)")
    #expect(jws.signature == ECDSASignature(raw: [UInt8](repeating: 1, count: 64)))
  }

  private static let wrong: [(String, JWSError)] = [
    ("", .wrongPartCount(1, empty: 1)), ("a.b", .wrongPartCount(2, empty: 0)), ("a.b.c.d", .wrongPartCount(4, empty: 0)),
    ("\(header)..\(signature)", .wrongPartCount(3, empty: 1)), (".\(payload).\(signature)", .wrongPartCount(3, empty: 1)),
    ("\(header).\(payload).", .wrongPartCount(3, empty: 1)), ("\(header)=.\(payload).\(signature)", .notBase64URL(.header)),
    ("\(header).\(payload)=.\(signature)", .notBase64URL(.payload)), ("\(header).\(payload).a+b/", .notBase64URL(.signature)),
    ("\(header).\(payload).\(signature)==", .notBase64URL(.signature)),
    ("\(part("[]")).\(payload).\(signature)", .notAnObject(.header)),
    ("\(header).\(part("1")).\(signature)", .notAnObject(.payload)),
    ("\(part(#"{"kid":"a","kid":"b"}"#)).\(payload).\(signature)", .notAnObject(.header)),
    ("\(part(#"{"kid":"a"}"#)).\(payload).\(signature)", .missingAlgorithm),
    ("\(part(#"{"kid":"a","alg":"none"}"#)).\(payload).\(signature)", .wrongAlgorithm(#""none""#)),
    ("\(part(#"{"kid":"a","alg":"HS256"}"#)).\(payload).\(signature)", .wrongAlgorithm(#""HS256""#)),
    ("\(part(#"{"kid":"a","alg":"es256"}"#)).\(payload).\(signature)", .wrongAlgorithm(#""es256""#)),
    ("\(part(#"{"kid":"a","alg":256}"#)).\(payload).\(signature)", .wrongAlgorithm("256")),
    ("\(part(#"{"kid":"a","alg":"ES256","crit":["b64"]}"#)).\(payload).\(signature)", .criticalExtension),
    ("\(part(#"{"alg":"ES256"}"#)).\(payload).\(signature)", .missingKeyIdentifier),
    ("\(part(#"{"kid":"","alg":"ES256"}"#)).\(payload).\(signature)", .missingKeyIdentifier),
    ("\(header).\(payload).AAAA", .wrongSignatureSize(3, isDER: false)),
    (String(repeating: "a", count: 65_537), .tooLarge(limit: 65_536)),
  ]

  @Test("Other texts are errors", arguments: wrong.indices)
  func otherTexts(_ index: Int) {
    let (text, error) = Self.wrong[index]
    #expect(throws: error, "\(text.prefix(200))") { try CompactJWS(text) }
  }

  @Test("A signature in DER is recognized")
  func der() throws {
    let signature = try DeviceFixtures.privateKey("ad-network").sign([]).der
    let text = "\(Self.header).\(Self.payload).\(Base64URL.encode(signature))"
    #expect(throws: JWSError.wrongSignatureSize(signature.count, isDER: true)) { try CompactJWS(text) }
  }
}
