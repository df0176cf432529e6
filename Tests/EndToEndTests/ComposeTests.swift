import Foundation
import PCMCore
import PCMCurl
import PCMNetwork
import ServiceSupport
import Testing

/// The services of `docker-compose.yml`, started here with the same arguments: folders stand for its volumes, ports are chosen
/// by the kernel, and the name of the other container leads to this machine.
@Suite(.timeLimit(.minutes(10))) struct ComposeTests {
  private static let token = "compose"

  @Test func theTwoServicesPlayTogether() async throws {
    let (file, folder) = (try ComposeFile.ofTheTree(), try TemporaryFolder())
    let (receiver, browser) = (file.service("receiver"), file.service("pcm-browser"))
    for volume in receiver.volumes + browser.volumes {
      try FileManager.default.createDirectory(atPath: "\(folder.path)/\(volume.name)", withIntermediateDirectories: true)
    }
    // A key that is there already is not made: it would be one of 4096 bits.
    let key = try ComposeFile.text(of: "Fixtures/tokens/signing-key-2048.pem")
    try key.write(toFile: "\(folder.path)/receiver/token-key.pem", atomically: true, encoding: .utf8)
    let endpoint = try await start(receiver, in: folder, greeting: "pcm-browser receive is listening on https://0.0.0.0:")
    try await ending(endpoint) {
      let calls = Calls(
        transport: try CurlTransport(),
        route: NetworkRoute(connectTo: ["::127.0.0.1:\(endpoint.port)"], caFile: "\(folder.path)/shared/ca.pem"))
      let check = try receiver.healthCheck
      #expect(check.contains("/shared/ca.pem"))
      #expect(await calls.get(try #require(check.last)).httpStatus == 200, "\(check)")
      #expect(await calls.get("https://receiver/admin/reports", token: nil).httpStatus == 401)
      let service = try await start(
        browser, in: folder, greeting: "pcm-browser is listening on http://0.0.0.0:",
        more: ["--resolve=receiver:\(endpoint.port):127.0.0.1"], receiverPort: endpoint.port)
      try await ending(service) { try await play(service, try #require(await calls.mintNonces())) }
      expectVerifiedTokens(try #require(await calls.reports()))
      await calls.transport.close()
    }
    try expectNoSecrets(for: browser, in: folder)
  }

  @Test func everyMountPointIsTheServicesOwnInTheImage() throws {
    let image = try ComposeFile.text(of: "Dockerfile")
    let line = image.split(separator: "\n").first { $0.contains("install --directory --owner pcm-browser") }
    let folders = Set(try #require(line).split(separator: " ").filter { $0.hasPrefix("/") })
    let file = try ComposeFile.ofTheTree()
    for name in ["pcm-browser", "receiver"] {
      let paths = file.service(name).volumes.map(\.path)
      #expect(!paths.isEmpty && paths.allSatisfy { folders.contains(Substring($0)) }, "\(name) mounts \(paths), has \(folders)")
    }
  }

  private func start(
    _ service: ComposeFile.Service, in folder: TemporaryFolder, greeting: String, more: [String] = [],
    receiverPort: Int = 0
  ) async throws -> ServiceProcess {
    let arguments = service.command.map {
      service.outsideContainer($0, volumesIn: folder).replacingOccurrences(
        of: "receiver:8443", with: "receiver:\(receiverPort)")
    }
    return try await ServiceProcess(
      running: arguments + more + ["--port=0"], greeting: greeting,
      environment: Dictionary(uniqueKeysWithValues: service.environment.map { ($0, Self.token) }))
  }

  /// Ends a process after `body` returns or throws.
  private func ending(_ process: ServiceProcess, behind body: () async throws -> Void) async throws {
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
    process.terminate()
    await process.status()
    try outcome.get()
  }

  /// A click and a triggering event with a nonce each, and two days.
  private func play(_ service: ServiceProcess, _ nonces: [String]) async throws {
    for (method, path, body, type) in [
      ("PUT", "", Stage.browserBody(seed: "compose"), "application/json"),
      ("PUT", "/apps", Stage.manifest, "application/x-plist"),
      (
        "POST", "/event-attributions", Stage.click.dropLast() + #","sourceNonce":"\#(nonces[0])"}"#, "application/json"
      ),
      (
        "POST", "/triggering-events",
        Stage.trigger.replacing("/12/03", with: "/12/03?attributionDestinationNonce=\(nonces[1])"), "application/json"
      ),
      ("POST", "/clock/advance", #"{"by":"PT48H"}"#, "application/json"),
    ] {
      let answer = try await service.call(method, Stage.browser + path, body, type: type, token: Self.token)
      #expect((200..<300).contains(answer.status), "\(method) \(path): \(answer.text)")
    }
  }

  private func expectVerifiedTokens(_ reports: [ReceiveStage.EntryView]) {
    #expect(reports.count == 2)
    #expect(Set(reports.map(\.host)) == ["news.example", "shop.example"])
    for report in reports {
      #expect(report.verdict == "accepted", "\(report)")
      #expect(report.tokens.mapValues { $0?.verdict } == ["source": "verified", "destination": "verified"], "\(report)")
    }
  }

  /// The service's container must not contain the keys with which tokens are signed.
  private func expectNoSecrets(for service: ComposeFile.Service, in folder: TemporaryFolder) throws {
    for volume in service.volumes {
      let path = "\(folder.path)/\(volume.name)"
      for file in try FileManager.default.subpathsOfDirectory(atPath: path) {
        let bytes = FileManager.default.contents(atPath: "\(path)/\(file)") ?? Data()
        #expect(bytes.range(of: Data("PRIVATE KEY".utf8)) == nil, "\(file) on \(volume.name)")
      }
    }
    #expect(service.volumes.contains { $0.name == "shared" && $0.isReadOnly })
  }

  /// Calls of the endpoint, over TLS.
  private struct Calls {
    let transport: CurlTransport
    let route: NetworkRoute

    func get(_ url: String, token: String? = ComposeTests.token) async -> Exchange { await send(.get, url, nil, token: token) }

    func mintNonces() async -> [String]? {
      let answer = await send(.post, "https://receiver/admin/nonces", #"{"mint":2}"#)
      return try? JSONDecoder().decode([String: [String]].self, from: Data(answer.body))["nonces"]
    }

    func reports() async -> [ReceiveStage.EntryView]? {
      let answer = await get("https://receiver/admin/reports")
      return try? JSONDecoder().decode(PageView<ReceiveStage.EntryView>.self, from: Data(answer.body)).items
    }

    private func send(
      _ method: OutgoingRequest.Method, _ url: String, _ body: String?, token: String? = ComposeTests.token
    ) async -> Exchange {
      var headers = [OutgoingRequest.Header("Content-Type", "application/json")]
      if let token { headers.append(OutgoingRequest.Header("Authorization", "Bearer \(token)")) }
      let request = OutgoingRequest(method: method, url: url, headers: headers, body: body.map { Array($0.utf8) })
      return await transport.send(request, route: route)
    }
  }
}
