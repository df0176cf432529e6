import HTTPTypes
import Hummingbird
import NIOCore
import PCMCore

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
    // Nearly every caller sends it as it is written here.
    if let given, wanted.contains(given) { return }
    let type = given?.split(separator: ";").first.map { $0.trimmed.lowercased() }
    guard let type, wanted.contains(type) else { throw Problem.wrongMediaType(given, wanted: wanted) }
  }

  /// A JSON body. What is not JSON is 400; what is JSON but not this body is 422 with a pointer to each member that is wrong.
  func json<Body: JSONBody>(as type: Body.Type) async throws -> Body {
    try requireMediaType(["application/json"])
    let bytes = Array(try await bytes(upTo: BodyLimit.json).readableBytesView)
    do throws(BodyError) {
      return try Body(json: bytes)
    } catch {
      switch error {
      case .malformed: throw Problem.malformed("the body is not valid JSON in UTF-8")
      case .invalid(let problems): throw Problem.invalid(problems)
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
