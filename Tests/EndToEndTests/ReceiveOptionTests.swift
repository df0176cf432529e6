import Foundation
import OpenSSLSupport
import PCMCore
import PCMCrypto
import PCMNetwork
import ServiceSupport
import TLSSupport
import Testing

/// The options of `pcm-browser receive`.
@Suite(.timeLimit(.minutes(10))) struct ReceiveOptionTests {
  @Test func aCertificateOfOnesOwnIsShownAndNoAuthorityMade() async throws {
    let authority = try TestAuthority()
    let identity = try authority.issue(names: ["news.example", "127.0.0.1"])
    let certificate: (TemporaryFolder) throws -> [String] = { files in
      try identity.certificate.write(toFile: files.path + "/own.pem", atomically: true, encoding: .utf8)
      try identity.privateKey.write(toFile: files.path + "/own-key.pem", atomically: true, encoding: .utf8)
      try FileManager.default.copyItem(atPath: authority.certificateFile, toPath: files.path + "/ca.pem")
      return ["--certificate", files.path + "/own.pem", "--private-key", files.path + "/own-key.pem"]
    }
    try await ReceiveStage.run(with: certificate) { stage async throws in
      #expect(await stage.report().httpStatus == 200)
      #expect(try await stage.entries().map(\.verdict) == ["accepted"])
      let trusted = try String(contentsOfFile: stage.files.path + "/ca.pem", encoding: .utf8)
      #expect(try trusted == String(contentsOfFile: authority.certificateFile, encoding: .utf8))
      // The certificate does not name this host.
      #expect(await stage.send(.get, "/", host: "shop.example").failure?.code == .certificateRefused)
    }
  }

  /// As the documentation shows: `--name` for the hosts of the test, and the address for `--token-admin`.
  @Test func theCertificateNamesTheListeningAddressBesidesTheHosts() async throws {
    try await ReceiveStage.run { stage async throws in
      #expect(!ReceiveStage.arguments(stage.files).contains("127.0.0.1"))
      for host in ["news.example", "shop.example", "127.0.0.1", "localhost", "[::1]"] {
        let answer = await stage.send(.get, "/healthz", host: host)
        #expect(answer.httpStatus == 200, "\(host): \(String(describing: answer.failure))")
      }
      #expect(await stage.send(.get, "/healthz", host: "other.example").failure?.code == .certificateRefused)
    }
  }

  /// The option of another party's key, whether its file is PEM, and the verdict on its tokens.
  static let others: [(argument: String?, isPEM: Bool, verdict: String)] = [
    (nil, false, "unverified"), ("elsewhere.example=", false, "verified"), ("elsewhere.example=", true, "verified"),
    ("", false, "verified"), ("", true, "verified"), ("other.example=", false, "unverified"),
  ]

  @Test(arguments: others)
  func tokensOfAPartyElsewhereAreVerifiedByItsPublicKey(_ argument: String?, _ isPEM: Bool, _ verdict: String) async throws {
    let key = try TokenPrivateKey(pem: try ReceiveStage.key("signing-key-3072.pem"))
    let publicPEM = try await Self.publicPEM(of: key)
    let other: (TemporaryFolder) throws -> [String] = { files in
      guard let argument else { return [] }
      let text = isPEM ? publicPEM : key.publicKeyWire + "\n"
      try text.write(toFile: files.path + "/other.txt", atomically: true, encoding: .utf8)
      return ["--other-key", argument + files.path + "/other.txt"]
    }
    let blinded = try UnlinkableToken(bytes: Array(0..<32)).blind(with: key.publicKey)
    let signed = try blinded.finalize(blindSignature: key.sign(blindedMessage: blinded.blindedMessage))
    let report =
      Stage.body.dropLast().replacing("shop.example", with: "elsewhere.example")
      + #","destination_secret_token":"\#(Base64URL.encode(signed.token.bytes))","#
      + #""destination_secret_token_signature":"\#(Base64URL.encode(signed.signature))"}"#
    try await ReceiveStage.run(with: other) { stage async throws in
      #expect(await stage.send(.post, ReceiveStage.folder + "report-attribution/", String(report)).httpStatus == 200)
      #expect(try await stage.entries().map { $0.tokens["destination"]??.verdict } == [verdict])
    }
  }

  /// As openssl writes public keys, in the older form of the algorithm.
  private static func publicPEM(of key: TokenPrivateKey) async throws -> String {
    let openssl = try OpenSSLCommand()
    try openssl.write(key.pem, "private.pem")
    try await openssl.run("pkey -in private.pem -pubout -out public.pem")
    return try openssl.text("public.pem")
  }

  @Test(arguments: [(["--admin-token", "secret"], [:]), ([], ["PCM_BROWSER_ADMIN_TOKEN": "secret"])])
  func theAdminTokenComesFromTheCommandLineOrTheEnvironment(
    _ arguments: [String], _ environment: [String: String]
  ) async throws {
    let more: (TemporaryFolder) -> [String] = { _ in arguments }
    try await ReceiveStage.run(with: more, environment: environment) { stage async throws in
      #expect(try await stage.call("GET", "/admin/reports").status == 401)
      #expect(try await stage.call("GET", "/admin/reports", token: "secret").status == 200)
      #expect(await stage.report().httpStatus == 200)
    }
  }
}
