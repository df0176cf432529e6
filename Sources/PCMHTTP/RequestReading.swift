import HTTPTypes
import Hummingbird
import NIOCore
import PCMCore
import PCMCrypto
import PCMVerify

extension Request {
  /// Returns the whole body, up to a limit. A repetition of the request returns it again.
  func bytes(upTo limit: Int, in context: APIContext) async throws -> ByteBuffer {
    if let body = context.body { return body }
    let body = try await bytes(upTo: limit)
    context.note(body: body)
    return body
  }

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
    // Nearly every caller sends it as it is written here.
    let given = headers[values: .contentType]
    if given.count == 1, wanted.contains(given[0]) { return }
    guard let mediaType, wanted.contains(mediaType) else {
      throw Problem.wrongMediaType(headers[.contentType], wanted: wanted + others)
    }
  }

  /// Returns a JSON body. Text that is not JSON is 400; an invalid body is 422 with a pointer to each invalid member.
  ///
  /// - Parameter isOptional: Whether a request without a body, which needs no media type, has one without members.
  func json<Body: JSONBody>(as type: Body.Type, in context: APIContext, isOptional: Bool = false) async throws -> Body {
    let bytes = try await bytesOfJSON(in: context, isOptional: isOptional)
    return isOptional && bytes.readableBytes == 0 ? Body() : try .reading(Array(bytes.readableBytesView))
  }

  /// Returns the bytes of a JSON body. Its media type is checked before it arrives, unless it may be empty.
  func bytesOfJSON(in context: APIContext, isOptional: Bool, upTo limit: Int = BodyLimit.json) async throws -> ByteBuffer {
    let mayBeEmpty = isOptional && [nil, "0"].contains(headers[.contentLength])
    if !mayBeEmpty { try requireMediaType(["application/json"]) }
    let bytes = try await bytes(upTo: limit, in: context)
    if mayBeEmpty, bytes.readableBytes > 0 { try requireMediaType(["application/json"]) }
    return bytes
  }
}

extension Substring {
  var trimmed: Substring {
    let start = drop { $0 == " " || $0 == "\t" }
    return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
  }
}

extension JSONBody {
  /// Reads the body of a request. The problem of a text that is not JSON names the place.
  static func reading(_ bytes: [UInt8]) throws -> Self {
    do {
      return try Self(json: bytes)
    } catch {
      throw Problem.ofBody(bytes, error)
    }
  }
}

extension Problem {
  /// Returns the problem of a body that is not JSON, or any other error as it is.
  fileprivate static func ofBody(_ bytes: [UInt8], _ error: any Error) -> any Error {
    guard error as? BodyError == .malformed, let flaw = JSONFlaw.first(in: bytes)?.text else { return error }
    return malformed("the body is not valid JSON in UTF-8: \(flaw.hasSuffix(".") ? String(flaw.dropLast()) : flaw)")
  }
}
