import Foundation
import ServiceSupport
import Testing

/// Observability of the running service: its log and its metrics.
@Suite struct TelemetryTests {
  private func log(_ format: String, during body: (ServiceProcess) async throws -> Void) async throws -> [String] {
    let folder = try TemporaryFolder()
    let file = folder.path + "/log"
    let service = try await ServiceProcess(
      data: folder.path + "/data", "--log-level", "trace", "--api-token", "Zq7-secret", "--log-format", format, log: file)
    try await body(service)
    service.terminate()
    #expect(await service.status() == 0)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(!text.contains("Zq7-secret"), "a secret is in the log")
    return text.split(separator: "\n").map(String.init)
  }

  @Test func theLogIsOneObjectALineAndKeepsSecrets() async throws {
    let lines = try await log("json") { service in
      #expect(try await service.call("GET", "/v1/browsers").status == 401)
      _ = try await service.exchange(
        raw: "GET /v1/browsers HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer Zq7-secret\r\n\r\n")
      _ = try await service.exchange(raw: "GET / HTTP/1.1\r\nAuthorization: Bearer Zq7-secret\r\n bad\r\n\r\n")
    }
    #expect(!lines.isEmpty)
    for line in lines {
      let entry = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
      #expect(Set(entry.keys) == ["time", "level", "label", "message", "metadata", "source"])
      #expect(entry["label"] as? String == "pcm-browser")
      #expect(entry["metadata"] is [String: Any])
      #expect((entry["time"] as? String)?.hasSuffix("Z") == true)
    }
  }

  @Test func textIsForPeople() async throws {
    let lines = try await log("text") { service async throws in
      #expect(try await service.call("GET", "/healthz").status == 200)
    }
    #expect(lines.contains { $0.contains(" pcm-browser: ") })
    #expect(!lines.contains { $0.hasPrefix("{") })
  }

  @Test(
    arguments: [
      ["--log-format", "xml"], ["--max-connections", "0"], ["--max-connections", "70000"], ["--max-connections", "many"],
    ])
  func whatCannotBeIsWrongUsage(_ option: [String]) async throws {
    #expect(try await ServiceProcess.run(["serve"] + option).status == 2)
  }

  @Test func theNumbersAreThoseOfTheProcess() async throws {
    let folder = try TemporaryFolder()
    let service = try await ServiceProcess(data: folder.path)
    _ = try await service.call("PUT", Stage.browser, Stage.browserBody(seed: "numbers"))
    _ = try await service.call("PUT", "\(Stage.browser)/apps", Stage.manifest, type: "application/x-plist")
    #expect(try await service.call("POST", "\(Stage.browser)/event-attributions", Stage.click).status == 201)
    #expect(try await service.call("POST", "\(Stage.browser)/triggering-events", Stage.trigger).status == 201)
    let text = try await service.call("GET", "/metrics").text
    for line in [
      "pcm_browsers{storage=\"durable\"} 2", "pcm_events_total{kind=\"click-stored\"} 1",
      "pcm_reports_scheduled{storage=\"durable\"} 2", "pcm_reports_overdue{storage=\"durable\"} 0",
      "pcm_build_info{version=\"0.2.0\"} 1",
    ] {
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
    let writes = text.split(separator: "\n").first {
      $0.hasPrefix("pcm_store_seconds_count{storage=\"durable\",operation=\"write\"}")
    }
    #expect(writes?.hasSuffix(" 0") == false)
    service.kill()
    await service.status()
    let again = try await ServiceProcess(data: folder.path)
    #expect(try await again.call("GET", "/metrics").text.contains("\npcm_reports_scheduled{storage=\"durable\"} 2\n"))
    again.kill()
    await again.status()
  }

  @Test func aPageOfSomebodyElseIsRefused() async throws {
    let folder = try TemporaryFolder()
    let service = try await ServiceProcess(data: folder.path)
    let request = "DELETE /v1/browsers/default/data HTTP/1.1\r\nHost: 127.0.0.1:\(service.port)\r\nOrigin: "
    #expect(try await service.exchange(raw: request + "https://evil.example\r\n\r\n").hasPrefix("HTTP/1.1 403 "))
    let own = try await service.exchange(raw: request + "http://127.0.0.1:\(service.port)\r\n\r\n")
    #expect(own.hasPrefix("HTTP/1.1 204 "))
    #expect(!own.lowercased().contains("access-control"))
    service.kill()
    await service.status()
  }
}
