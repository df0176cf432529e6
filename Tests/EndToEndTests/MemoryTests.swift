#if os(Linux)
  import Foundation
  import ServiceSupport
  import Testing

  @Suite("Memory of the service")
  struct MemoryTests {
    /// A debug build maps 30 MB of code at its start, and executes 10 MB afterward.
    @Test("An idle service does not keep the code of its start mapped")
    func idle() async throws {
      let folder = try TemporaryFolder()
      let service = try await ServiceProcess(data: folder.path)
      let code = try residentCode(of: service.identifier)
      #expect(code > 0 && code < 20_000, "\(code) KB")
      #expect(try await service.call("GET", "/healthz").status == 200)
      service.kill()
    }

    @Test("A service that uses more than --max-memory accepts no data, and serves what it has")
    func maximumMemory() async throws {
      let folder = try TemporaryFolder()
      let service = try await ServiceProcess(data: folder.path, "--max-memory", "1MiB")
      let refused = try await service.call("POST", "/v1/browsers")
      #expect(refused.status == 503 && refused.text.contains("\"memory-full\""), "\(refused.text)")
      #expect(try await service.call("GET", "/v1/browsers/default").status == 200)
      #expect(try await service.call("DELETE", "/v1/browsers/default/data").status == 204)
      service.kill()
    }

    /// The resident size of the executable mappings of a process, in kilobytes.
    private func residentCode(of process: Int32) throws -> Int {
      let file = try #require(FileHandle(forReadingAtPath: "/proc/\(process)/smaps"))
      let text = String(decoding: try #require(try file.read(upToCount: 8 << 20)), as: UTF8.self)
      var (total, isCode) = (0, false)
      for fields in text.split(separator: "\n").map({ $0.split(separator: " ") }) {
        if fields.count > 1, fields[1].count == 4, fields[1].hasSuffix("p") { isCode = fields[1] == "r-xp" }
        if fields[0] == "Rss:", isCode { total += Int(fields[1]) ?? 0 }
      }
      return total
    }
  }
#endif
