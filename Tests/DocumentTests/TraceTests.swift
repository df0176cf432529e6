import BrowserSupport
import CZlib
import Foundation
import HTTPSupport
import HTTPTypes
import PCMCore
import PCMStore
import Testing

/// The page of a browser as one file.
@Suite struct TraceTests {
  @Test(
    "A trace contains its parts, the explanation of each item, and no reference to anything outside",
    arguments: ["browsers", "devices"])
  func document(_ world: String) async throws {
    try await API.test { api in
      #expect(try await api.tap().status == 201)
      #expect(try await api.tap(["tapVerified": false, "sourceDescription": "<script>alert(1)</script>"]).status == 201)
      #expect(try await api.trigger().status == 201)
      try await api.advance("PT48H")
      let answer = try await api.call(.get, "/v1/\(world)/test/trace")
      #expect(answer.status == 200 && answer.headers[.contentType] == "text/html; charset=utf-8")
      let document = answer.text
      let policy = #/content="default-src 'none'; script-src 'sha256-[^' ]+'; style-src 'sha256-[^' ]+'; img-src data:"/#
      #expect(document.contains(policy))
      #expect(!document.contains(#/(src|href|action)="(https?:)?\//#), "a reference leads out of the file")
      let parts = try Self.parts(of: document)
      let rejected = try #require(parts["log"]?.firstMatch(of: #/#why=(click-\d+)"[^\n]*\n?[^\n]*tap-not-verified/#)?.1)
      #expect(parts["item?about=\(rejected)"]?.contains("the tap did not land on a control") == true)
      for list in ["answer", "story", "log", "timeline"] {
        for link in try #require(parts[list]).matches(of: #/href="#why=([^"]+)"/#) {
          #expect(parts["item?about=\(link.1)"] != nil, "\(list) links to \(link.1)")
        }
      }
      let report = try #require(parts["story"]?.firstMatch(of: #/#why=(report-\d+)"/#)?.1)
      #expect(parts["item?about=\(report)"]?.contains("report-attribution") == true)
      #expect(parts["answer"]?.contains("data-featured=\"report-") == true)
      #expect(parts["scenario"]?.contains("without real responses") == true && parts["scenario"]?.contains("PT48H") == true)
      #expect(parts.values.allSatisfy { !$0.contains("<script") })
    }
  }

  @Test("A browser on the real clock has a trace, which says why it has no scenario")
  func realClock() async throws {
    try await API.test { api in
      let parts = try Self.parts(of: try await api.call(.get, "/v1/browsers/default/trace").text)
      #expect(parts["scenario"]?.contains("No scenario: a scenario has a manual clock") == true)
      #expect(try await api.call(.get, "/v1/browsers/none/trace").status == 404)
    }
  }

  @Test("Long texts are cut, except in failures and the newest 200 items, and 10,000 events are less than 5 MB")
  func limits() async throws {
    let store = MemoryStore()
    try await API.test(store: store) { api in
      let browser = try #require(try await store.browsers().first { $0.name == "test" })
      let key = ClickKey(
        source: Site("news.example"), destination: Site("shop.example"), bundleIdentifier: "com.example.news")
      let long = String(repeating: "x", count: 3_000)
      try await store.write(browser.id) { writer in
        for id in Int64(1)...300 {
          try writer.save(
            Report(
              id: id, attribution: 1, session: .normal, key: key, recipient: .source, url: "",
              body: #"{"text":"\#(long)"}"#, dueAt: Scene.start + .days(1), state: id == 7 ? .failed : .delivered))
        }
        while try writer.nextSequence() <= 10_000 {
          let number = try writer.nextSequence()
          let reason = Reason("tap-not-verified", "the tap \(number) was not verified")
          let discarded = ClickDiscarded(
            origin: .linkClick, destination: Site("shop\(number).example"), reasons: [reason], decision: nil)
          try writer.append(discarded, at: Scene.start)
        }
      }
      let document = try await api.call(.get, "/v1/browsers/test/trace").bytes
      #expect(document.count < 5_000_000, "\(document.count) bytes")
      let parts = try Self.parts(of: String(decoding: document, as: UTF8.self))
      for id in Int64(1)...300 {
        let message = try #require(parts["item?about=report-\(id)"])
        #expect(message.contains("… (cut: 1,024 of 3000 bytes)") == (id <= 100 && id != 7), "report-\(id)")
        #expect(message.contains(long) == (id > 100 || id == 7), "report-\(id)")
      }
    }
  }

  @Test("A part and a file of the pages are compressed for a caller that accepts it")
  func compression() async throws {
    try await API.test { api in
      let fields: HTTPFields = [.acceptEncoding: "br, gzip;q=0.8"]
      for path in ["/browsers/test", "/browsers/test/timeline", "/assets/page.js"] {
        let plain = try await api.call(.get, path)
        let compressed = try await api.call(.get, path, headers: fields)
        #expect(compressed.headers[.contentEncoding] == "gzip" && compressed.headers[.vary] == "Accept-Encoding", "\(path)")
        #expect(plain.headers[.contentEncoding] == nil && Self.inflated(compressed.bytes) == plain.bytes, "\(path)")
      }
      let short = try await api.call(.get, "/browsers/default/log", headers: fields)
      #expect(short.headers[.contentEncoding] == nil && short.text.contains("No events yet."))
    }
  }

  /// Returns the parts in a trace's document.
  static func parts(of document: String) throws -> [String: String] {
    let data = try #require(document.firstMatch(of: #/<script type="application\/json" id="trace">"([^"]*)"<\/script>/#)?.1)
    let compressed = [UInt8](try #require(Data(base64Encoded: String(data))))
    return try JSONDecoder().decode([String: String].self, from: Data(inflated(compressed)))
  }

  private static func inflated(_ bytes: [UInt8]) -> [UInt8] {
    var (stream, result, input) = (z_stream(), [UInt8](), bytes)
    inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    input.withUnsafeMutableBufferPointer { input in
      (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
      var status = Z_OK
      while status == Z_OK {
        result += [UInt8](unsafeUninitializedCapacity: 1_048_576) { buffer, count in
          (stream.next_out, stream.avail_out) = (buffer.baseAddress, UInt32(buffer.count))
          status = inflate(&stream, Z_NO_FLUSH)
          count = buffer.count - Int(stream.avail_out)
        }
      }
    }
    inflateEnd(&stream)
    return result
  }
}
