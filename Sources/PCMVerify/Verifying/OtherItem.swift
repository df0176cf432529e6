internal import PCMCore
internal import PCMCrypto

/// Items that are confused with postbacks and impressions: decoded tokens, reports of clicks, and messages of the App Store.
struct OtherItem {
  /// The JSON pointer of the identifying part.
  let pointer: String
  let detail: String
  let instruction: String

  var verdict: SignatureVerdict {
    SignatureVerdict(
      framework: nil, subject: nil, faults: [Fault(pointer, detail)], remedy: SignatureRemedy(instruction: instruction))
  }

  /// - Parameter depth: The maximum number of enclosing objects, such as a server's event with the body of a request.
  /// - Returns: Nil for an unknown object.
  static func item(_ value: JSON, depth: Int = 2) -> OtherItem? {
    guard case .object(let members) = value, members.count <= memberLimit else { return nil }
    let names = Set(members.map(\.name))
    if let row = table.first(where: { $0.fits(names, value) }) {
      return OtherItem(pointer: "", detail: "The object is \(row.title).", instruction: row.instruction)
    }
    if let token = decodedToken(members) { return token }
    guard depth > 0 else { return nil }
    return members.lazy.compactMap { member in
      item(member.value.parsedText, depth: depth - 1).map { inner in
        OtherItem(
          pointer: "/" + JSONPointer.escaped(member.name.truncated(to: 60)) + inner.pointer, detail: inner.detail,
          instruction: inner.instruction)
      }
    }.first
  }

  /// Returns whether members are named as in a report of a click.
  static func isReport(_ names: Set<String>) -> Bool {
    names.contains("attributed_on_site")
      || (names.contains("source_engagement_type") && !names.isDisjoint(with: ["source_site", "source_id", "trigger_data"]))
  }

  private static let memberLimit = 256

  private struct Row: Sendable {
    let title: String
    let instruction: String
    let fits: @Sendable (_ names: Set<String>, _ value: JSON) -> Bool
  }

  private static let notPostback = "It is not a postback of an ad network, and its signature is verified with other keys."

  private static let table: [Row] = [
    Row(
      title: "the header of a JSON Web Signature",
      instruction: "Pass the text with three parts as received, such as jws-string."
    ) { names, _ in names.contains("alg") && names.isSubset(of: ["alg", "kid", "typ", "x5c"]) },
    Row(
      title:
        "a notification of the App Store (App Store Server Notifications, version 2), with a JSON Web Signature in signedPayload",
      instruction: "\(notPostback) Verify signedPayload with the App Store Server Library."
    ) { names, _ in
      names.contains("signedPayload")
        || names.contains("notificationType")
    },
    Row(
      title: "a response of the App Store Server API, with signed transactions",
      instruction: "\(notPostback) Verify it with the App Store Server Library."
    ) { names, _ in
      !names.isDisjoint(with: [
        "signedTransactionInfo", "signedRenewalInfo", "signedTransactions", "signedAppTransactionInfo", "jwsRepresentation",
      ])
    },
    Row(
      title: "a transaction of the App Store", instruction: "\(notPostback) Verify its JSON Web Signature with StoreKit."
    ) { names, _ in
      names.isSuperset(of: ["transactionId", "bundleId"]) || names.isSuperset(of: ["originalTransactionId", "productId"])
    },
    Row(
      title: "a notification of the App Store (App Store Server Notifications, version 1)", instruction: notPostback
    ) { names, _ in
      names.contains("notification_type")
        && !names.isDisjoint(with: ["unified_receipt", "latest_receipt", "latest_receipt_info", "auto_renew_product_id", "bid"])
    },
    Row(
      title: "a device's request for the signed values of a web ad",
      instruction: "Pass the response of the ad network, which has the signature."
    ) { _, value in value["source_engagement_type"] == "click_to_App_Store" },
    Row(
      title: "a browser's request for the signature of a token, of Private Click Measurement",
      instruction: "It is not a postback. `pcm-browser receive` answers such requests."
    ) { names, _ in
      !names.isDisjoint(with: ["source_unlinkable_token", "destination_unlinkable_token", "trigger_unlinkable_token"])
    },
    Row(
      title: "a report of a click, of Private Click Measurement (Web AdAttributionKit)",
      instruction: "It is not a postback, and only its tokens are signed. `pcm-browser receive` examines reports."
    ) { names, _ in isReport(names) },
    Row(
      title: "a report of Chromium's Attribution Reporting", instruction: "It is not a postback of a device of Apple."
    ) { names, _ in
      names.contains("attribution_destination") || names.isSuperset(of: ["aggregation_service_payloads", "shared_info"])
    },
  ]
}

extension OtherItem {
  /// The members of AdAttributionKit's payloads.
  private static let payloadNames: Set<String> = [
    "postbackidentifier", "impressionidentifier", "adnetworkidentifier", "advertiseditemidentifier", "impressiontype",
    "publisheritemidentifier", "conversiontype", "marketplaceidentifier", "sourceidentifier", "didwin", "postbacksequenceindex",
    "timestamp", "eligibleforreengagement",
  ]

  private static func isPayload(_ members: [JSON.Member]) -> Bool {
    let names = Set(members.map { MemberSpelling.plain($0.name) })
    if !names.isDisjoint(with: ["postbackidentifier", "impressionidentifier"]) { return true }
    return !names.isDisjoint(with: ["adnetworkidentifier", "advertiseditemidentifier"])
      && names.intersection(payloadNames).count > 2
  }

  /// A JSON Web Signature with decoded parts: the payload alone, next to a header, or within another member.
  static func decodedToken(_ members: [JSON.Member]) -> OtherItem? {
    let instruction =
      "The signature is over the encoded form, which the decoded members do not have. Pass the text with three parts as received, "
      + "such as jws-string."
    if isPayload(members) {
      return OtherItem(
        pointer: "", detail: "The object is the payload of a JSON Web Signature without its signature.",
        instruction: instruction)
    }
    guard let pointer = payloadPointer(members, depth: 2) else { return nil }
    return OtherItem(
      pointer: pointer,
      detail: "The object is a decoded JSON Web Signature: \(pointer.asShown(upTo: 60)) has the members of its "
        + "payload.", instruction: instruction)
  }

  private static func payloadPointer(_ members: [JSON.Member], depth: Int) -> String? {
    for member in members {
      let pointer = "/" + JSONPointer.escaped(member.name.truncated(to: 60))
      let inner = member.value.parsedText
      if isPayload(inner.members) { return pointer }
      if depth > 1, let below = payloadPointer(inner.members, depth: depth - 1) { return pointer + below }
    }
    return nil
  }

  /// A JSON Web Signature of another kind.
  ///
  /// - Returns: nil for a text without identifying members.
  static func token(_ text: String) -> OtherItem? {
    let parts = text.trimmed.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, text.utf8.count <= CompactJWS.sizeLimit, let header = object(parts[0]),
      let payload = object(parts[1])
    else { return nil }
    let names = Set(payload.members.map(\.name))
    let title =
      table.first { $0.fits(names, payload) }?.title
      ?? (header["x5c"] == nil
        ? nil : "signed with a certificate chain (x5c), as the App Store signs notifications and transactions")
    return title.map {
      OtherItem(
        pointer: "", detail: "The JSON Web Signature is \($0). It is neither a postback nor an ad impression.",
        instruction: Self.notPostback)
    }
  }

  private static func object(_ text: Substring) -> JSON? {
    guard let bytes = Base64URL.decode(String(text)), let value = JSON(parsing: bytes), case .object = value else { return nil }
    return value
  }
}

extension JSON {
  /// The JSON in a string, or the value itself.
  fileprivate var parsedText: JSON {
    guard let text = string, text.utf8.contains(UInt8(ascii: "{")) else { return self }
    return JSON(parsing: Array(text.utf8), keepingNumbers: true) ?? self
  }
}
