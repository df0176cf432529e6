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
}
