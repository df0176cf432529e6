import PCMBrowser
import PCMCore

/// The body of `POST …/loads`.
struct LoadBody: Decodable {
  let input: LoadInput

  init(from decoder: any Decoder) throws {
    var members = try MemberReader(decoder)
    let firstPartyURL = members.required("firstPartyURL", .url)
    let url = members.required("url", .url)
    let kind = members.optional("kind", .object(Self.kinds) as MemberKind<String>)
    let method = members.optional("method", .object("\"GET\" or \"POST\"") as MemberKind<String>)
    let app = members.optional("app", .text)
    try members.finish()
    input = LoadInput(
      firstPartyURL: try members.found(firstPartyURL), url: try members.found(url), kind: kind ?? LoadKind.image.rawValue,
      method: method ?? "GET", app: app)
  }

  private static let kinds = LoadKind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
}

extension LoadOutcome {
  var json: JSON {
    [
      "hops": .array(hops.map(\.json)),
      "triggeringEvents": .array(triggeringEvents.map(\.json)),
      "error": error?.json ?? .null,
    ]
  }
}

extension LoadOutcome.Hop {
  fileprivate var json: JSON {
    [
      "url": .string(url),
      "status": status.map { .number(Int64($0)) } ?? .null,
      "location": .string(location),
      "error": error?.json ?? .null,
    ]
  }
}
