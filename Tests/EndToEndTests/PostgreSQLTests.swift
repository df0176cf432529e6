import Foundation
import PCMStore
import PostgresSupport
import ServiceSupport
import Testing

@testable import PCMStorePostgres

/// A service with its durable browsers in PostgreSQL.
@Suite(.postgresCluster, .serialized, .timeLimit(.minutes(10))) struct PostgreSQLTests {
  private static let browser = "/v1/browsers/test"

  private static func service() async throws -> ServiceProcess {
    try await ServiceProcess(
      running: ["serve", "--port", "0"], greeting: "pcm-browser is listening on http://127.0.0.1:",
      environment: ["PCM_BROWSER_STORE": try PostgresCluster.address()])
  }

  private static func click(
    _ number: Int, in service: ServiceProcess, _ browser: String = browser
  ) async throws -> ServiceProcess.Answer {
    let click = """
      {"pageURL":"https://news.example/","attributionSourceID":"4","attributionDestination":"https://shop\(number).example"}
      """
    return try await service.call("POST", "\(browser)/link-clicks", click)
  }

  /// Returns the number of clicks in the browser.
  private static func clickCount(in service: ServiceProcess) async throws -> Int {
    struct Page: Decodable {
      struct Item: Decodable {}
      let items: [Item]
    }
    return try await service.call("GET", "\(browser)/clicks?limit=1000").decoded(as: Page.self).items.count
  }

  @Test("A service whose server is stopped and started keeps acknowledged calls, and stores no refused one")
  func restart() async throws {
    let service = try await Self.service()
    #expect(try await service.call("PUT", Self.browser).status == 201)
    async let stop: Void = PostgresCluster.stop()
    var count = 0
    var answer = try await Self.click(count, in: service)
    while count < 500, answer.status == 201 {
      count += 1
      answer = try await Self.click(count, in: service)
    }
    if answer.status == 201 { count += 1 }
    try await stop
    let isUnknown = answer.text.contains("\"outcome-unknown\"")
    answer = try await Self.click(1_000, in: service)
    #expect(answer.status == 503 && answer.text.contains("\"unavailable\""), "\(answer.text)")
    let ready = try await service.exchange(raw: "GET /readyz HTTP/1.1\r\nHost: 127.0.0.1:\(service.port)\r\n\r\n")
    #expect(ready.hasPrefix("HTTP/1.1 503") && ready.lowercased().contains("\r\nretry-after: 1\r\n"), "\(ready)")
    #expect(try await service.call("GET", Self.browser).status == 503)
    #expect(try await service.call("GET", "/healthz").status == 200)

    try await PostgresCluster.start()
    #expect(try await service.call("GET", "/readyz").status == 200)
    let stored = try await Self.clickCount(in: service)
    #expect(stored == count || isUnknown && stored == count + 1)
    #expect(try await Self.click(1_001, in: service).status == 201)
    #expect(try await Self.clickCount(in: service) == stored + 1)
    service.terminate()
    #expect(await service.status() == 0)
  }

  @Test("Two instances have the same browsers, and a stopped instance leaves no claims")
  func twoInstances() async throws {
    let (left, right) = (try await Self.service(), try await Self.service())
    for service in [left, right] { #expect(try await service.call("GET", "/readyz").status == 200) }
    let (manual, real) = ("/v1/browsers/manual", "/v1/browsers/real")
    #expect(try await left.call("PUT", manual, #"{"clock":{"mode":"manual"}}"#).status == 201)
    #expect(try await right.call("PUT", manual, #"{"clock":{"mode":"manual"}}"#).status == 200)
    #expect(try await right.call("PUT", real).status == 201)
    async let events = right.call("GET", "\(real)/events?kind=click-stored&wait=PT30S")
    #expect(try await Self.click(1, in: left, real).status == 201)
    #expect(try await events.text.contains(#""kind":"click-stored""#))

    let folder = try TemporaryFolder()
    let copy = try await FailedCommand(["store", "copy", PostgresCluster.address(), folder.path + "/data"])
    #expect(copy.message.contains("another instance of pcm-browser uses"), "\(copy.message)")
    #expect(try await left.call("POST", "\(manual)/clock/advance", #"{"by":"PT1H"}"#).status == 200)
    left.terminate()
    #expect(await left.status() == 0)
    let store = try await PostgresStore(PostgresAddress(PostgresCluster.address()))
    let (claims, instances) = ("SELECT count(claimed_by) FROM browsers", "SELECT count(*) FROM instances")
    for (sql, count) in [(claims, 0), (instances, 2)] as [(String, Int64)] {
      let found = try await store.view { try $0.row(sql, [], of: "") { try $0.integer() } }
      #expect(found == count, "\(sql)")
    }
    try await store.close()
    #expect(try await right.call("POST", "\(manual)/clock/advance", #"{"by":"PT1H"}"#).status == 200)
    #expect(try await right.call("GET", "/readyz").status == 200)
    right.terminate()
    #expect(await right.status() == 0)
  }

  @Test("The browsers of a database are copied to a folder, from which a service continues")
  func copy() async throws {
    let folder = try TemporaryFolder()
    let data = folder.path + "/data"
    let database = try await Self.service()
    #expect(try await database.call("PUT", "/v1/browsers/copied", #"{"seed":"1"}"#).status == 201)
    struct Browser: Decodable, Equatable {
      let seed: String
      let createdAt: String
      let incarnation: String
    }
    let before: Browser = try await database.call("GET", "/v1/browsers/copied").decoded()
    database.terminate()
    await database.status()
    let copy = ["store", "copy", "--json", try PostgresCluster.address(), data]
    let copied = try await ServiceProcess.run(copy)
    #expect(copied.status == 0 && copied.output.contains("\"browsers\":"), "\(copied.message)")
    let repeated = try await FailedCommand(copy)
    #expect(repeated.status == 2)
    #expect(repeated.message.contains("the target has browsers; name a new folder or an empty database"), "\(repeated.message)")
    let service = try await ServiceProcess(data: data)
    #expect(try await service.call("GET", "/v1/browsers/copied").decoded() == before)
    service.terminate()
    await service.status()
  }
}
