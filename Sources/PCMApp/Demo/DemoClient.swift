import AsyncHTTPClient
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A client of the service: HTTP and JSON over a socket.
struct DemoClient {
  let base: String
  let http: HTTPClient

  struct Response {
    let status: Int
    let body: [UInt8]

    func decoded<Body: Decodable>(as type: Body.Type) throws -> Body {
      do {
        return try JSONDecoder().decode(type, from: Data(body))
      } catch {
        let problem = try? JSONDecoder().decode(Problem.self, from: Data(body))
        throw StartError(
          description: "the service returned \(status): \(problem?.detail ?? String(decoding: body, as: UTF8.self))")
      }
    }
  }

  private struct Problem: Decodable {
    let detail: String
  }

  func call(
    _ method: String, _ path: String, _ body: String = "", mediaType: String = "application/json"
  ) async throws -> Response {
    var request = HTTPClientRequest(url: base + path)
    request.method = .RAW(value: method)
    if !body.isEmpty {
      request.headers.add(name: "Content-Type", value: mediaType)
      request.body = .bytes(ByteBuffer(string: body))
    }
    let response = try await http.execute(request, timeout: .seconds(30))
    let buffer = try await response.body.collect(upTo: 1_048_576)
    return Response(status: Int(response.status.code), body: Array(buffer.readableBytesView))
  }
}

/// The members of the service's responses that the demo reads.
extension DemoStory {
  struct Browser: Decodable {
    let clock: Clock

    struct Clock: Decodable {
      let now: String
    }
  }

  struct App: Decodable {
    let bundleIdentifier: String
    let reportURL: String?
  }

  struct Outcome: Decodable {
    let outcome: String
    let reasons: [Reason]
    let click: Click?
    let attribution: Attribution?

    struct Reason: Decodable {
      let code: String
      let detail: String
    }

    struct Click: Decodable {
      let sourceSite: String
      let destinationSite: String
      let expiresAt: String
    }

    struct Attribution: Decodable {
      let triggerData: Int
      let priority: Int
    }

    var line: String {
      outcome + reasons.map { "\n             \($0.code): \($0.detail)" }.joined()
    }
  }

  struct Log: Decodable {
    let items: [Event]
  }

  struct Advanced: Decodable {
    let now: String
    let events: [Event]
  }

  struct Event: Decodable {
    let at: String
    let kind: String
    let detail: Detail

    struct Detail: Decodable {
      let recipient: String?
      let httpStatus: Int?
      /// The URL that a token is requested from.
      let url: String?
      /// The URLs from which keys are fetched again before a report leaves.
      let urls: [String]?
      let keyId: String?
      let reasons: [Outcome.Reason]?
    }

    /// A line about a report that is under way.
    var deliveryLine: String {
      let keys = detail.urls.map { "\(counted($0.count, "key")) fetched again" }
      let parts = [detail.recipient, keys, detail.httpStatus.map { "status \($0)" }].compactMap { $0 }
      return "\(at)  \(kind)\(parts.isEmpty ? "" : "  \(parts.joined(separator: ", "))")"
    }

    /// A line about a token that is being signed.
    var tokenLine: String {
      let parts = [detail.url, detail.url == nil ? detail.keyId.map { "signed with key \($0)" } : nil].compactMap { $0 }
      return "\(kind)  \((parts + (detail.reasons ?? []).map(\.detail)).joined(separator: ", "))"
    }
  }
}
