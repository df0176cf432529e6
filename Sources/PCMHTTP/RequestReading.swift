import HTTPTypes
import Hummingbird
import NIOCore
import PCMCore

extension Request {
  /// Returns the whole body, up to a limit.
  func bytes(upTo limit: Int) async throws -> ByteBuffer {
    if let length = headers[.contentLength].flatMap(Int.init), length > limit { throw Problem.tooLarge(limit: limit) }
    do {
      return try await body.collect(upTo: limit)
    } catch is NIOTooManyBytesError {
      throw Problem.tooLarge(limit: limit)
    } catch  where Task.isCancelled {
      // The rest of the body is not read, although it may have arrived.
      throw CancellationError()
    } catch {
      // A broken chunk, or a caller that disconnected.
      throw Problem.malformed("the body is incomplete")
    }
  }

  var isJSON: Bool { mediaType == "application/json" }

  /// The media type in lowercase, without its parameters.
  private var mediaType: String? {
    headers[.contentType]?.split(separator: ";").first.map { $0.trimmed.lowercased() }
  }

  /// Checks the media type and ignores its parameters, such as `charset`.
  ///
  /// - Parameter others: Media types that another part of the resource reads.
  func requireMediaType(_ wanted: [String], or others: [String] = []) throws {
    let given = headers[.contentType]
    // Nearly every caller sends it as it is written here.
    if let given, wanted.contains(given) { return }
    guard let mediaType, wanted.contains(mediaType) else { throw Problem.wrongMediaType(given, wanted: wanted + others) }
  }

  /// Returns a JSON body. Text that is not JSON is 400; an invalid body is 422 with a pointer to each invalid member.
  func json<Body: JSONBody>(as type: Body.Type) async throws -> Body {
    try requireMediaType(["application/json"])
    return try Self.body(try await bytes(upTo: BodyLimit.json))
  }

  /// Returns a JSON body, or nil for an empty one, which needs no media type.
  func optionalJSON<Body: JSONBody>(as type: Body.Type) async throws -> Body? {
    let bytes = try await bytesOfJSON()
    guard bytes.readableBytes > 0 else { return nil }
    try requireMediaType(["application/json"])
    return try Self.body(bytes)
  }

  /// Returns the bytes of a body that is JSON or empty. The media type of one with a length is checked before it arrives.
  func bytesOfJSON() async throws -> ByteBuffer {
    if let length = headers[.contentLength], length != "0" { try requireMediaType(["application/json"]) }
    return try await bytes(upTo: BodyLimit.json)
  }

  private static func body<Body: JSONBody>(_ bytes: ByteBuffer) throws -> Body {
    do throws(BodyError) {
      return try Body(json: Array(bytes.readableBytesView))
    } catch {
      switch error {
      case .malformed: throw Problem.malformed("the body is not valid JSON in UTF-8")
      case .invalid(let errors): throw Problem.invalid(errors)
      }
    }
  }
}

extension Substring {
  var trimmed: Substring {
    let start = drop { $0 == " " || $0 == "\t" }
    return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
  }
}
