import PCMCore

/// A body that is no report, under a name for the evidence.
struct MalformedBody: Hashable, Sendable {
  let name: String
  let bytes: [UInt8]
  let exemption: Exemption?

  /// Why less is asked of an endpoint than with other bodies.
  enum Exemption: Hashable, Sendable {
    /// Only an endpoint that offers tokens can see what is wrong: to others it is a report with an unknown member.
    case isOfTokens
    /// Parsers report such a depth as an error, which frameworks such as Flask answer with 500.
    case mayBeServerError
  }

  private init(_ name: String, _ bytes: some Sequence<UInt8>, _ exemption: Exemption? = nil) {
    self.name = name
    self.bytes = Array(bytes)
    self.exemption = exemption
  }

  /// How many there are.
  static let count = shapeless.count + misshapen.count + 2

  /// - Parameters:
  ///   - report: the members of a report without tokens, each of which some body spoils.
  ///   - party: the party whose token one of them carries.
  static func all(spoiling report: [JSON.Member], of party: Recipient) -> [MalformedBody] {
    let misshapen = misshapen.map { name, member, value in
      MalformedBody(name, JSON.object(report.map { $0.name == member ? JSON.Member(member, value) : $0 }).bytes)
    }
    let incomplete = MalformedBody(
      "no attributed_on_site", JSON.object(report.filter { $0.name != "attributed_on_site" }).bytes)
    let unpaired = MalformedBody(
      "a token without a signature", JSON.object(report + [.init("\(party.rawValue)_secret_token", "AAAA")]).bytes,
      .isOfTokens)
    return shapeless + misshapen + [incomplete, unpaired]
  }

  private static let shapeless: [MalformedBody] = [
    MalformedBody("empty", []),
    MalformedBody("no JSON", "not json".utf8),
    MalformedBody("JSON that breaks off", #"{"source_engagement_type":"click","sou"#.utf8),
    MalformedBody("an array", "[]".utf8),
    MalformedBody("null", "null".utf8),
    MalformedBody("an empty object", "{}".utf8),
    MalformedBody("bytes that are no UTF-8", #"{"source_site":""#.utf8 + [0xC3, 0x28] + #""}"#.utf8),
    MalformedBody("5,000 arrays in each other", [UInt8](repeating: UInt8(ascii: "["), count: 5_000), .mayBeServerError),
  ]

  /// A member with a value that it must not have.
  private static let misshapen: [(name: String, member: String, value: JSON)] = [
    ("a number for source_site", "source_site", 7),
    ("a text for source_id", "source_id", "seven"),
    ("a source_id of 256", "source_id", 256),
    ("a negative trigger_data", "trigger_data", .number(-1)),
    ("a trigger_data of 16", "trigger_data", 16),
  ]

  /// Larger than any report by a factor of a thousand, and a JSON object, so that only its size is wrong.
  static let oversized: [UInt8] =
    Array(#"{"padding":""#.utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 1_048_576) + Array(#""}"#.utf8)
}

/// A text that is no nonce, because it does not stand for 16 bytes in base64url.
enum MalformedNonce {
  static let all = ["AAAAAAAAAAAAAAAAAAAA", "++++////AAAAAAAAAAAAAA"]
}
