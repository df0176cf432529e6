import Foundation
import HTTPSupport
import HTTPTypes
import PCMHTTP
import Testing

/// The body of `PUT /v1/browsers/{browser}`, which may be empty.
@Suite struct OptionalBodyTests {
  @Test("an empty body needs no media type and may have one", arguments: [nil, "application/json", "text/plain"])
  func empty(_ type: String?) async throws {
    let headers: HTTPFields = type.map { [.contentType: $0] } ?? [:]
    try await API.test { api async throws in
      #expect(try await api.call(.put, "/v1/browsers/new", bytes: [], headers: headers).status == 201)
    }
  }

  @Test("a body without a length is read like any other")
  func chunked() async throws {
    try await LiveServer.run(.patient) { server in
      let untyped = try await server.exchange(Self.put(#"{"seed":"given"}"#))
      #expect(untyped.hasPrefix("HTTP/1.1 415 "), "\(untyped)")
      let typed = try await server.exchange(Self.put(#"{"seed":"given"}"#, "Content-Type: application/json\r\n"))
      #expect(typed.hasPrefix("HTTP/1.1 201 ") && typed.contains(#""seed":"given""#), "\(typed)")
      let empty = try await server.exchange(Self.put("", "Content-Type: application/json\r\n"))
      #expect(empty.hasPrefix("HTTP/1.1 200 "), "\(empty)")
    }
  }

  private static func put(_ body: String, _ fields: String = "") -> String {
    let chunk = body.isEmpty ? "" : "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n"
    return
      "PUT /v1/browsers/new HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\(fields)\r\n"
      + "\(chunk)0\r\n\r\n"
  }
}
