import Foundation
import PCMCore
import ServiceSupport

/// A browser of the executable, and the calls of the tests of tokens, with any recipient of its requests.
struct TokenStage {
  /// Any 16 bytes in base64url; the endpoint that signs has to know them.
  static let nonce = "ABCDEFabcdef0123456789"

  let service: ServiceProcess

  /// - Parameters:
  ///   - port: where every host leads.
  ///   - authority: the file with the certificate authority to trust.
  init(data: String, port: Int, authority: String) async throws {
    service = try await ServiceProcess(data: data, "--connect-to", "::127.0.0.1:\(port)", "--ca-file", authority)
    _ = try await service.call("PUT", Stage.browser, Stage.browserBody(seed: "tokens"))
  }

  /// Runs a test against `receive` with a key for each of the two sites, 2048 bits for the source and 3072 for the
  /// destination.
  static func run(_ test: (_ browser: TokenStage, _ endpoint: ReceiveStage) async throws -> Void) async throws {
    let keys: (TemporaryFolder) throws -> [String] = { files in
      let pairs = [("news.example", "signing-key-2048.pem"), ("shop.example", "signing-key-3072.pem")]
      return try pairs.flatMap { host, name in
        try ReceiveStage.key(name).write(toFile: files.path + "/\(host).pem", atomically: true, encoding: .utf8)
        return ["--key", "\(host)=\(files.path)/\(host).pem"]
      }
    }
    try await ReceiveStage.run(with: keys) { endpoint async throws in
      let files = endpoint.files.path
      let browser = try await TokenStage(
        data: files + "/data", port: endpoint.process.port, authority: files + "/ca.pem")
      let outcome: Result<Void, any Error>
      do { outcome = .success(try await test(browser, endpoint)) } catch { outcome = .failure(error) }
      await browser.stop()
      try outcome.get()
    }
  }

  func stop() async {
    service.terminate()
    await service.status()
  }

  /// A link on a page of news.example.
  func click(_ sourceID: Int, nonce: String? = nil, to destination: String = "https://shop.example/") async throws {
    let attribute = nonce.map { #","attributionSourceNonce":"\#($0)""# } ?? ""
    let body = """
      {"pageURL":"https://news.example/","attributionSourceID":"\(sourceID)","attributionDestination":"\(destination)"\
      \(attribute)}
      """
    let answer = try await service.call("POST", "\(Stage.browser)/link-clicks", body)
    guard answer.status == 201 else { throw ReceiveStage.ServiceFailure(what: answer.text) }
  }

  /// A pixel of news.example on a page of the destination.
  @discardableResult
  func trigger(_ tail: String, nonce: String? = nil, on page: String = "https://shop.example/thanks") async throws
    -> OutcomeView
  {
    let query = nonce.map { "?attributionDestinationNonce=\($0)" } ?? ""
    let body = """
      {"firstPartyURL":"\(page)","redirect":{"from":"https://news.example/pixel",\
      "to":"https://news.example/.well-known/private-click-measurement/trigger-attribution/\(tail)\(query)"}}
      """
    let answer = try await service.call("POST", "\(Stage.browser)/triggering-events", body)
    guard answer.status == 201 else { throw ReceiveStage.ServiceFailure(what: answer.text) }
    return try answer.decoded()
  }

  func advance() async throws {
    let answer = try await service.call("POST", "\(Stage.browser)/clock/advance", #"{"untilIdle":true}"#)
    guard answer.status == 200 else { throw ReceiveStage.ServiceFailure(what: answer.text) }
  }

  struct OutcomeView: Decodable {
    let outcome: String
  }
}

/// The text members of a request's body, each by its name.
func textMembers(_ body: String) throws -> [String: String] {
  try JSONDecoder().decode(JSON.self, from: Data(body.utf8)).members.reduce(into: [:]) { texts, member in
    if case .string(let text) = member.value { texts[member.name] = text }
  }
}

extension ReceiveStage {
  /// A nonce that the endpoint has made.
  func mint() async throws -> String {
    let answer = try await admin("POST", "nonces", #"{"mint":1}"#)
    guard let nonce = try JSONDecoder().decode([String: [String]].self, from: Data(answer.text.utf8))["nonces"]?.first else {
      throw ServiceFailure(what: answer.text)
    }
    return nonce
  }
}
