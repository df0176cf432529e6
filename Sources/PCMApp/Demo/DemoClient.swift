import AsyncHTTPClient
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Speaks to the service as any client would: HTTP and JSON over a socket.
struct DemoClient {
  let base: String
  let http: HTTPClient

  struct Answer {
    let status: Int
    let body: [UInt8]

    func decoded<Body: Decodable>(as type: Body.Type) throws -> Body {
      do {
        return try JSONDecoder().decode(type, from: Data(body))
      } catch {
        let problem = try? JSONDecoder().decode(Problem.self, from: Data(body))
        throw StartFailure(
          description: "the service answered \(status): \(problem?.detail ?? String(decoding: body, as: UTF8.self))")
      }
    }
  }

  private struct Problem: Decodable {
    let detail: String
  }

  func call(
    _ method: String, _ path: String, _ body: String = "", mediaType: String = "application/json"
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: base + path)
    request.method = .RAW(value: method)
    if !body.isEmpty {
      request.headers.add(name: "Content-Type", value: mediaType)
      request.body = .bytes(ByteBuffer(string: body))
    }
    let response = try await http.execute(request, timeout: .seconds(30))
    let buffer = try await response.body.collect(upTo: 1_048_576)
    return Answer(status: Int(response.status.code), body: Array(buffer.readableBytesView))
  }
}
