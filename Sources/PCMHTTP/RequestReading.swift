import HTTPTypes
import Hummingbird
import NIOCore
import PCMBrowser

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Request {
  /// The whole body, up to a limit.
  func bytes(upTo limit: Int) async throws -> ByteBuffer {
    if let length = headers[.contentLength].flatMap(Int.init), length > limit { throw Problem.tooLarge(limit: limit) }
    do {
      return try await body.collect(upTo: limit)
    } catch is NIOTooManyBytesError {
      throw Problem.tooLarge(limit: limit)
    } catch {
      // A broken chunk, or a caller who went away in the middle.
      throw Problem.malformed("the body could not be read to its end")
    }
  }

  /// Checks the media type; parameters such as `charset` are of no interest.
  func requireMediaType(_ wanted: [String]) throws {
    let given = headers[.contentType]
    let type = given?.split(separator: ";").first.map { $0.trimmed.lowercased() }
    guard let type, wanted.contains(type) else { throw Problem.wrongMediaType(given, wanted: wanted) }
  }

  /// A JSON body as one of the wire types. What is not JSON is 400, what is JSON but impossible 422 with pointers.
  func json<Body: Decodable>(as type: Body.Type) async throws -> Body {
    try requireMediaType(["application/json"])
    let buffer = try await bytes(upTo: BodyLimit.json)
    do {
      return try JSONDecoder().decode(type, from: Data(buffer.readableBytesView))
    } catch {
      // The decoder speaks of a string that it cannot read; the cause is the whole text.
      guard String(validating: buffer.readableBytesView, as: UTF8.self) != nil else { throw Problem.notJSON }
      throw (error as? DecodingError).map(Problem.init) ?? error
    }
  }
}

extension Problem {
  fileprivate static let notJSON = malformed("the body is not valid JSON in UTF-8")

  fileprivate init(_ error: DecodingError) {
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context):
      self = .invalid([InputProblem(context.codingPath.map(\.stringValue), "the body must be a JSON object")])
    case .dataCorrupted: self = .notJSON
    @unknown default: self = .notJSON
    }
  }
}

extension Substring {
  var trimmed: Substring {
    let start = drop { $0 == " " || $0 == "\t" }
    return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
  }
}
