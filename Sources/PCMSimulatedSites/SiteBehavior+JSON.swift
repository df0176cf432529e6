package import PCMCore
import PCMNetwork

extension SiteBehavior {
  /// The behavior in the format of scenario files, with a list for each kind of request.
  package var json: JSON {
    var members: [JSON.Member] = []
    if let key { members.append(.init("key", .string(key.rawValue))) }
    for kind in Self.kinds {
      if let responses = lists[kind.rawValue] { members.append(.init(kind.rawValue, .array(responses.map(\.json)))) }
    }
    let pages = lists.filter { RequestTarget.Kind(rawValue: $0.key) == nil }.sorted { $0.key < $1.key }
    if !pages.isEmpty {
      members.append(.init("loads", .object(pages.map { JSON.Member($0.key, .array($0.value.map(\.json))) })))
    }
    return .object(members)
  }

  /// The kinds of requests with a list, in the order of the format.
  private static let kinds: [RequestTarget.Kind] = [.report, .tokenKey, .sign, .postback, .signedPayload, .sdkRequest]

  /// Creates the behavior from a value of the format, which was checked before.
  package init(checked json: JSON) {
    self.init(
      key: json["key"]?.string.flatMap(Key.init(rawValue:)), report: json["report"].map(Self.responses),
      tokenKey: json["token-key"].map(Self.responses), sign: json["sign"].map(Self.responses),
      postback: json["postback"].map(Self.responses), signedPayload: json["signed-payload"].map(Self.responses),
      sdkRequest: json["sdk-request"].map(Self.responses),
      loads: Dictionary((json["loads"]?.members ?? []).map { ($0.name.withMarkedUserInformation, Self.responses($0.value)) }) {
        first, _ in first
      })
  }

  /// One response, or a list of them.
  private static func responses(_ json: JSON) -> [Response] {
    guard case .array(let items) = json else { return [Response(checked: json)] }
    return items.map(Response.init(checked:))
  }
}

extension SiteBehavior.Response {
  /// Creates the response from a value of the format, which was checked before.
  init(checked json: JSON) {
    self.init()
    if case .number(let number)? = json["status"] { status = Int(number) }
    contentType = json["content-type"]?.string
    body = json["body"]?.string
    location = json["location"]?.string?.withMarkedUserInformation
    resourcePolicy = json["resource-policy"]?.string
    let failure = json["failure"]
    self.failure = (failure?.string ?? failure?["code"]?.string).flatMap(TransportFailure.Code.init(rawValue:))
    failureDetail = failure?["detail"]?.string
    forged = json["forged"] == .bool(true)
    short = json["short"] == .bool(true)
    ad = json["ad"] ?? .null
    signedAs = json["signedAs"] ?? .null
  }
}

extension SiteBehavior.Response {
  /// The response in the format of scenario files.
  package var json: JSON {
    var members: [JSON.Member] = []
    if let status { members.append(.init("status", .number(Int64(status)))) }
    if let contentType { members.append(.init("content-type", .string(contentType))) }
    if let body { members.append(.init("body", .string(body))) }
    if let location { members.append(.init("location", .string(location))) }
    if let resourcePolicy { members.append(.init("resource-policy", .string(resourcePolicy))) }
    if let failure {
      let code = JSON.string(failure.rawValue)
      members.append(.init("failure", failureDetail.map { ["code": code, "detail": .string($0)] } ?? code))
    }
    if forged { members.append(.init("forged", .bool(true))) }
    if short { members.append(.init("short", .bool(true))) }
    if ad != .null { members.append(.init("ad", ad)) }
    if signedAs != .null { members.append(.init("signedAs", signedAs)) }
    return .object(members)
  }
}
