import Foundation
import Testing

/// The decisions of a running WebKit, as captured in `Fixtures/webkit/verdicts.json`. Its member `about` describes the columns.
struct Verdicts: Decodable {
  let links: [LinkVerdict]
  let triggers: [TriggerVerdict]
  let sequences: [SequenceVerdict]

  static func load() throws -> Verdicts {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/webkit/verdicts.json")
    return try JSONDecoder().decode(Verdicts.self, from: Data(contentsOf: file))
  }
}

/// One followed link.
struct LinkVerdict: Decodable, CustomTestStringConvertible {
  let id: String
  let page: String
  let sourceID: String?
  let destination: String?
  let nonce: String?
  let landing: String
  /// Source site, destination site, source ID; nil when WebKit stored nothing.
  let stored: StoredClick?
  let warnings: [String]

  var testDescription: String { "\(id) \(destination ?? "no destination")" }

  init(from decoder: any Decoder) throws {
    var columns = try decoder.unkeyedContainer()
    id = try columns.decode(String.self)
    page = try columns.decode(String.self)
    sourceID = try columns.decode(String?.self)
    destination = try columns.decode(String?.self)
    nonce = try columns.decode(String?.self)
    landing = try columns.decode(String.self)
    stored = try columns.decode(StoredClick?.self)
    warnings = try columns.decode([String].self)
  }
}

/// A row of WebKit's table of unattributed clicks.
struct StoredClick: Decodable, Hashable {
  let source: String
  let destination: String
  let sourceID: UInt8

  init(source: String, destination: String, sourceID: UInt8) {
    self.source = source
    self.destination = destination
    self.sourceID = sourceID
  }

  init(from decoder: any Decoder) throws {
    var columns = try decoder.unkeyedContainer()
    source = try columns.decode(String.self)
    destination = try columns.decode(String.self)
    sourceID = try columns.decode(UInt8.self)
  }
}

/// A load whose redirects lead to the trigger path.
struct TriggerVerdict: Decodable, CustomTestStringConvertible {
  let id: String
  let chain: Chain
  let verdicts: [String]
  let attributed: [StoredAttribution]

  var testDescription: String { "\(id) \(chain.location)" }

  init(from decoder: any Decoder) throws {
    var columns = try decoder.unkeyedContainer()
    id = try columns.decode(String.self)
    chain = Chain(
      page: try columns.decode(String.self), kind: try columns.decode(String.self), hosts: try columns.decode([String].self),
      statuses: try columns.decode([Int].self), fragment: try columns.decode(String.self),
      location: try columns.decode(String.self), answer: try columns.decode(Chain.Answer?.self))
    verdicts = try columns.decode([String].self)
    attributed = try columns.decode([StoredAttribution].self)
  }
}

/// The hops of a load: each of the hosts answers with its status and redirects to the next, the last one to `location`.
struct Chain {
  let page: String
  /// WebKit's element or call: `img`, `script`, `css`, `frame`, `fetch`; `post` and `cred` are fetches.
  let kind: String
  /// Origins.
  let hosts: [String]
  let statuses: [Int]
  /// Appended to the first URL.
  var fragment = ""
  let location: String
  /// The answer to the first request to the trigger path; nil for a plain 200.
  var answer: Answer?

  struct Answer: Decodable {
    let status: Int
    let location: String
  }
}

/// A row of WebKit's table of attributions.
struct StoredAttribution: Decodable, Hashable {
  let source: String
  let destination: String
  let sourceID: UInt8
  let data: UInt8
  let priority: UInt8
  /// Only sequences list the halves that are still to be sent.
  var sourceIsPending = true
  var destinationIsPending = true

  init(
    source: String, destination: String, sourceID: UInt8, data: UInt8, priority: UInt8, sourceIsPending: Bool = true,
    destinationIsPending: Bool = true
  ) {
    self.source = source
    self.destination = destination
    self.sourceID = sourceID
    self.data = data
    self.priority = priority
    self.sourceIsPending = sourceIsPending
    self.destinationIsPending = destinationIsPending
  }

  init(from decoder: any Decoder) throws {
    var columns = try decoder.unkeyedContainer()
    source = try columns.decode(String.self)
    destination = try columns.decode(String.self)
    sourceID = try columns.decode(UInt8.self)
    data = try columns.decode(UInt8.self)
    priority = try columns.decode(UInt8.self)
    guard !columns.isAtEnd else { return }
    sourceIsPending = try columns.decode(Bool.self)
    destinationIsPending = try columns.decode(Bool.self)
  }
}

/// Clicks, loads, and moves of the clock, one after the other, with the stored records after each.
struct SequenceVerdict: Decodable, CustomTestStringConvertible {
  let id: String
  let steps: [Step]

  var testDescription: String { id }

  struct Step: Decodable {
    let operation: Operation
    let unattributed: Set<StoredClick>
    let attributed: Set<StoredAttribution>
    /// Of a load only.
    let verdicts: [String]

    init(from decoder: any Decoder) throws {
      var columns = try decoder.unkeyedContainer()
      operation = try columns.decode(Operation.self)
      if case .load = operation {
        verdicts = try columns.decode([String].self)
      } else {
        verdicts = []
        _ = try columns.decode(Ignored.self)
      }
      unattributed = Set(try columns.decode([StoredClick].self))
      attributed = Set(try columns.decode([StoredAttribution].self))
    }
  }

  private struct Ignored: Decodable {
    init(from decoder: any Decoder) {}
  }

  enum Operation: Decodable {
    case click(page: String, sourceID: String, destination: String, landing: String)
    case load(Chain)
    case advance(seconds: Int64)

    private enum Key: String, CodingKey {
      case op, page, attrs, landing, kind, hosts, statuses, location, s
    }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: Key.self)
      switch try members.decode(String.self, forKey: .op) {
      case "click":
        let attributes = try members.decode([String: String].self, forKey: .attrs)
        self = .click(
          page: try members.decode(String.self, forKey: .page), sourceID: attributes["attributionsourceid"] ?? "",
          destination: attributes["attributiondestination"] ?? "", landing: try members.decode(String.self, forKey: .landing))
      case "trig":
        self = .load(
          Chain(
            page: try members.decode(String.self, forKey: .page), kind: try members.decode(String.self, forKey: .kind),
            hosts: try members.decode([String].self, forKey: .hosts),
            statuses: try members.decode([Int].self, forKey: .statuses),
            location: try members.decode(String.self, forKey: .location)))
      case "advance": self = .advance(seconds: try members.decode(Int64.self, forKey: .s))
      case let name:
        throw DecodingError.dataCorruptedError(forKey: .op, in: members, debugDescription: "unknown operation \(name)")
      }
    }
  }
}
