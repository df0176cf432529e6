import PCMCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The body of a call as the routes read it, by the same decoder: of a member that is there twice the same one, `4.0` as 4,
/// and whatever white space and byte order marks there are.
struct CallBody: Decodable {
  let json: JSON

  /// Null for what is no JSON, such as a manifest.
  static func json(_ bytes: [UInt8]) -> JSON {
    (try? JSONDecoder().decode(CallBody.self, from: Data(bytes)))?.json ?? .null
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: Name.self) {
      json = .object(
        try members.allKeys.sorted { $0.stringValue < $1.stringValue }.map { name in
          JSON.Member(name.stringValue, try members.decode(CallBody.self, forKey: name).json)
        })
      return
    }
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      json = .null
    } else if let flag = try? value.decode(Bool.self) {
      json = .bool(flag)
    } else if let number = try? value.decode(Int64.self) {
      json = .number(number)
    } else {
      json = .string(try value.decode(String.self))
    }
  }
}
