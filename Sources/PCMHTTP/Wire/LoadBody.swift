import PCMBrowser
import PCMCore

/// The body of `POST …/loads`.
struct LoadBody: Decodable {
  let input: LoadInput

  init(from decoder: any Decoder) throws {
    var members = try MemberReader(decoder)
    let firstPartyURL = members.required("firstPartyURL", .url)
    let url = members.required("url", .url)
    let method = members.optional("method", .object("\"GET\" or \"POST\"") as MemberKind<String>)
    let app = members.optional("app", .text)
    try members.finish()
    input = LoadInput(
      firstPartyURL: try members.found(firstPartyURL), url: try members.found(url), method: method ?? "GET", app: app)
  }
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
