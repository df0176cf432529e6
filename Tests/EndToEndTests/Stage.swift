import Foundation
import PCMCrypto
import ServiceSupport
import TLSSupport

/// The bodies of these tests' calls, and a report endpoint over TLS.
enum Stage {
  static let manifest = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
    <key>CFBundleIdentifier</key><string>com.example.news</string>
    <key>NSAdvertisingAttributionReportEndpoint</key><string>https://news.example</string>
    </dict></plist>
    """
  static let click = """
    {"bundleIdentifier":"com.example.news","sourceIdentifier":4,"destinationURL":"https://shop.example/","tapVerified":true}
    """
  static let trigger = """
    {"firstPartyURL":"https://shop.example/thanks","redirect":{"from":"https://news.example/pixel",\
    "to":"https://news.example/.well-known/private-click-measurement/trigger-attribution/12/03"}}
    """
  static let body =
    #"{"source_engagement_type":"click","source_site":"news.example","source_id":4,"attributed_on_site":"shop.example","trigger_data":12,"version":3}"#

  static let browser = "/v1/browsers/test"

  static func browserBody(seed: String) -> String {
    #"{"seed":"\#(seed)","clock":{"mode":"manual","start":"2026-11-20T10:00:00.000Z"}}"#
  }

  static func identity(_ authority: TestAuthority) throws -> ServerIdentity {
    try authority.issue(names: ["news.example", "shop.example"])
  }

  /// Starts the service so that every host leads to the server.
  static func service(data: String, server: RecordingServer, authority: TestAuthority) async throws -> ServiceProcess {
    try await ServiceProcess(
      data: data, "--connect-to", "::127.0.0.1:\(server.port)", "--ca-file", authority.certificateFile)
  }

  /// Creates the browser and registers the app.
  static func prepare(_ service: ServiceProcess, seed: String) async throws {
    _ = try await service.call("PUT", browser, browserBody(seed: seed))
    _ = try await service.call("PUT", "\(browser)/apps", manifest, type: "application/x-plist")
  }
}

/// The parts of a report that these tests look at.
struct ReportView: Decodable, Hashable {
  let id: String
  let recipient: String
  let state: String
  let attempts: [AttemptView]

  struct AttemptView: Decodable, Hashable {
    let httpStatus: Int?
    let httpVersion: String?
    let remoteAddress: String?
    let timings: [String: String]?
  }
}

struct PageView<Item: Decodable>: Decodable {
  let items: [Item]
}

/// The result of a command that fails.
struct FailedCommand {
  let status: Int32
  let output: String
  /// The text on standard error.
  let message: String

  /// - Parameters:
  ///   - limit: an option of `ulimit` with its value, such as `-n 16`.
  ///   - redirection: a redirection of the shell, such as `>/dev/full`.
  init(
    _ arguments: [String], environment: [String: String] = [:], limit: String? = nil, redirection: String? = nil
  ) async throws {
    (status, output, message) = try await ServiceProcess.run(
      arguments, environment: environment, limit: limit, redirection: redirection)
  }

  /// Whether the message contains a description of a Swift value instead of text for people.
  var isDump: Bool {
    let parts = ["errno", "Error(", "Optional(", "Domain", "NIO", "SQLITE", "__C.", "unexpected error", "Fatal", "nil"]
    guard !parts.contains(where: { message.contains($0) }) else { return true }
    // A label after a parenthesis, a qualified type, the name of an error type, and a number instead of a cause.
    return message.contains(/\w\((\w+: |"|\[)/) || message.contains(/\b[A-Z]\w+\.[A-Z]\w+/)
      || message.contains(/\b[A-Z]\w+(Error|Failure|Reason)\b/) || message.contains(/(?i)\b(error|code) -?\d+/)
  }
}
