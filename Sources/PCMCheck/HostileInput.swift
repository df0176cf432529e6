/// A body that is no report, under a name for the evidence.
struct MalformedBody: Hashable, Sendable {
  let name: String
  let bytes: [UInt8]

  private init(_ name: String, _ bytes: some Sequence<UInt8>) {
    self.name = name
    self.bytes = Array(bytes)
  }

  /// A report whose members are changed: a value that is nil takes its member away.
  private init(_ name: String, changing changes: [(name: String, value: String?)]) {
    let members: [(name: String, value: String?)] = [
      ("source_engagement_type", #""click""#), ("source_site", #""source.example""#), ("source_id", "7"),
      ("attributed_on_site", #""destination.example""#), ("trigger_data", "3"), ("version", "3"),
    ]
    let changed = members.map { member in changes.first { $0.name == member.name } ?? member }
    let added = changes.filter { change in !members.contains { $0.name == change.name } }
    let text = (changed + added).compactMap { member in member.value.map { #""\#(member.name)":\#($0)"# } }
    self.init(name, "{\(text.joined(separator: ","))}".utf8)
  }

  static let all: [MalformedBody] = [
    MalformedBody("empty", []),
    MalformedBody("no JSON", "not json".utf8),
    MalformedBody("JSON that breaks off", #"{"source_engagement_type":"click","sou"#.utf8),
    MalformedBody("an array", "[]".utf8),
    MalformedBody("null", "null".utf8),
    MalformedBody("an empty object", "{}".utf8),
    MalformedBody("bytes that are no UTF-8", #"{"source_site":""#.utf8 + [0xC3, 0x28] + #""}"#.utf8),
    MalformedBody("5,000 arrays in each other", [UInt8](repeating: UInt8(ascii: "["), count: 5_000)),
    MalformedBody("a number for source_site", changing: [("source_site", "7")]),
    MalformedBody("a text for source_id", changing: [("source_id", #""seven""#)]),
    MalformedBody("a source_id of 256", changing: [("source_id", "256")]),
    MalformedBody("a negative trigger_data", changing: [("trigger_data", "-1")]),
    MalformedBody("a trigger_data of 16", changing: [("trigger_data", "16")]),
    MalformedBody("no attributed_on_site", changing: [("attributed_on_site", nil)]),
    MalformedBody("a token without a signature", changing: [("source_secret_token", #""AAAA""#)]),
  ]

  /// Larger than any report by a factor of a thousand, and a JSON object, so that only its size is wrong.
  static let oversized: [UInt8] =
    Array(#"{"padding":""#.utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 1_048_576) + Array(#""}"#.utf8)
}

/// A text that is no nonce, because it does not stand for 16 bytes in base64url.
enum MalformedNonce {
  static let all = ["AAAAAAAAAAAAAAAAAAAA", "++++////AAAAAAAAAAAAAA"]
}
