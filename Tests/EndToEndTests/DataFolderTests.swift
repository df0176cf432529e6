import Foundation
import GRDB
import ServiceSupport
import Testing

/// The data folder of a service: files of others, files that disappear, and damaged rows.
@Suite(.timeLimit(.minutes(10))) struct DataFolderTests {
  private let folder: TemporaryFolder
  private let data: String
  private let database: String

  init() throws {
    folder = try TemporaryFolder()
    data = folder.path + "/data"
    database = data + "/pcm-browser.sqlite"
  }

  @Test func aFullDatabaseAcceptsDataAfterADeletion() async throws {
    let service = try await ServiceProcess(data: data, "--max-disk", "1MiB")
    let filled = "/v1/browsers/filled"
    #expect(try await service.call("PUT", filled).status == 201)
    var (answer, count) = (try await service.call("GET", "/v1"), 0)
    while answer.status < 500, count < 2_000 {
      count += 1
      let click = """
        {"pageURL":"https://news.example/","attributionSourceID":"4","attributionDestination":"https://shop\(count).example"}
        """
      answer = try await service.call("POST", "\(filled)/link-clicks", click)
    }
    #expect(answer.status == 503 && answer.text.contains("\"storage-full\""), "\(answer.text)")
    #expect((200..<2_000).contains(count))
    #expect(try await service.call("GET", "\(filled)/clicks?limit=1").status == 200)
    // The advice of the error succeeds, repeatedly.
    for site in 1...100 {
      let cleared = try await service.call("DELETE", "\(filled)/data?site=shop\(site).example")
      #expect(cleared.status == 204, "\(cleared.text)")
    }
    #expect(try await service.call("DELETE", "\(filled)/data").status == 204)
    #expect(try await service.call("DELETE", filled).status == 204)
    #expect(try await service.call("PUT", "/v1/browsers/next").status == 201)
    service.terminate()
    await service.status()
  }

  private func edit(_ sql: String) throws {
    let queue = try DatabaseQueue(path: database)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  @Test func aServiceWhoseFolderWasRemovedIsNotReady() async throws {
    let first = try await ServiceProcess(data: data)
    #expect(try await first.call("GET", "/readyz").status == 200)
    let second = try await FailedCommand(["serve", "--port", "0", "--data", data])
    #expect(second.status == 2)
    #expect(second.message.contains("\(database) is in use"), "\(second.message)")

    try FileManager.default.removeItem(atPath: data)
    let answer = try await first.call("GET", "/readyz")
    #expect(answer.status == 503 && answer.text.contains(#""code":"data-missing""#), "\(answer.text)")
    first.kill()
    await first.status()
    let third = try await ServiceProcess(data: data)
    #expect(try await third.call("GET", "/readyz").status == 200)
    third.kill()
  }

  @Test func aDamagedRowOfTheLogAffectsTheCallsThatReadIt() async throws {
    let first = try await ServiceProcess(data: data)
    try await Stage.prepare(first, seed: "1")
    #expect(try await first.call("POST", "\(Stage.browser)/event-attributions", Stage.click).status == 201)
    #expect(try await first.call("POST", "\(Stage.browser)/triggering-events", Stage.trigger).status == 201)
    first.terminate()
    await first.status()
    try edit("UPDATE reports SET state = 'lost'")
    try edit("UPDATE events SET detail = '{}' WHERE kind = 'click-stored'; UPDATE journal SET text = '{' WHERE number = 1")
    let second = try await ServiceProcess(data: data)
    defer { second.kill() }
    for path in ["explain?about=shop.example", "clicks", "reports", "scenario"] {
      let answer = try await second.call("GET", "\(Stage.browser)/\(path)")
      #expect(answer.status == 503, "\(path): \(answer.text)")
      #expect(answer.text.contains(#""code":"browser-unreadable""#), "\(answer.text)")
    }
    #expect(try await second.call("GET", Stage.browser).status == 200)
  }

  @Test(arguments: [
    ("UPDATE browsers SET clock_mode = 'sundial' WHERE name = 'test'", "table browsers", "clock_mode"),
    ("UPDATE apps SET findings = '['", "row com.example.news of the table apps", "findings"),
    ("UPDATE reports SET retry_at = -1", "table reports", "retry_at"),
    (
      "PRAGMA ignore_check_constraints = 1; UPDATE events SET sequence = -1 "
        + "WHERE sequence = 1 AND browser = (SELECT id FROM browsers WHERE name = 'test')",
      "row -1 of the table events", "sequence"
    ),
  ])
  func aDamagedRowAffectsOneBrowser(_ sql: String, _ row: String, _ column: String) async throws {
    let first = try await ServiceProcess(data: data)
    try await Stage.prepare(first, seed: "1")
    #expect(try await first.call("POST", "\(Stage.browser)/event-attributions", Stage.click).status == 201)
    #expect(try await first.call("POST", "\(Stage.browser)/triggering-events", Stage.trigger).status == 201)
    #expect(try await first.call("PUT", "/v1/browsers/other").status == 201)
    first.terminate()
    await first.status()
    try edit(sql)

    let log = folder.path + "/log"
    let second = try await ServiceProcess(data: data, arguments: [], log: log)
    defer { second.kill() }
    let warning = try String(contentsOfFile: log, encoding: .utf8)
    for part in ["warning", "browser=test", row, "its \(column) is not valid"] { #expect(warning.contains(part), "\(warning)") }
    #expect(!warning.contains("browser=other"))
    for path in [Stage.browser, "\(Stage.browser)/events", "\(Stage.browser)/reports"] {
      let answer = try await second.call("GET", path)
      #expect(answer.status == 503)
      #expect(answer.text.contains(#""code":"browser-unreadable""#), "\(answer.text)")
    }
    #expect(try await second.call("GET", "/v1/browsers/other").status == 200)
    #expect(try await second.call("GET", "/readyz").status == 200)
    #expect(try await second.call("GET", "/metrics").status == 200)
    let list = try await second.call("GET", "/v1/browsers").text
    #expect(list.contains(#""name":"other""#) && !list.contains(#""name":"test""#), "\(list)")

    #expect(try await second.call("DELETE", Stage.browser).status == 204)
    #expect(try await second.call("GET", Stage.browser).status == 404)
    try await Stage.prepare(second, seed: "1")
    #expect(try await second.call("GET", Stage.browser).status == 200)
  }
}
