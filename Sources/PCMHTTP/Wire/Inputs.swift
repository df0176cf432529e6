import PCMBrowser
import PCMCore

/// The bodies of clicks and triggering events, as the API names them.
struct EventAttributionBody: Decodable {
  let input: EventAttributionInput

  init(from decoder: any Decoder) throws {
    var members = try MemberReader(decoder)
    let app = members.required("app", .text)
    let sourceIdentifier = members.required("sourceIdentifier", .object("an integer from 0 to 255") as MemberKind<Int>)
    let destinationURL = members.required("destinationURL", .url)
    let sourceDescription = members.optional("sourceDescription", .text)
    let purchaser = members.optional("purchaser", .text)
    let nonce = members.optional("sourceNonce", .object("a string, 16 bytes in base64url") as MemberKind<String>)
    let tapVerified = members.optional("tapVerified", .flag)
    let presentation = members.optional("presentation", .text)
    let openedURL = members.optional("openedURL", .url)
    let landingURL = members.optional("landingURL", .url)
    try members.finish()
    input = EventAttributionInput(
      app: try members.found(app), sourceIdentifier: try members.found(sourceIdentifier),
      destinationURL: try members.found(destinationURL), sourceDescription: sourceDescription, purchaser: purchaser,
      sourceNonce: nonce, tapVerified: tapVerified ?? true, presentation: presentation ?? AppTap.Presentation.openURL.rawValue,
      openedURL: openedURL, landingURL: landingURL)
  }
}

struct LinkClickBody: Decodable {
  let input: LinkClickInput

  init(from decoder: any Decoder) throws {
    var members = try MemberReader(decoder)
    let pageURL = members.required("pageURL", .url)
    let sourceID = members.optional("attributionSourceID", .object("a string, the attribute as written") as MemberKind<String>)
    let destination = members.optional(
      "attributionDestination", .object("a string, the attribute as written") as MemberKind<String>)
    let nonce = members.optional("attributionSourceNonce", .object("a string, the attribute as written") as MemberKind<String>)
    let href = members.optional("href", .url)
    let landingURL = members.optional("landingURL", .url)
    let userGesture = members.optional("userGesture", .flag)
    let app = members.optional("app", .text)
    try members.finish()
    input = LinkClickInput(
      pageURL: try members.found(pageURL), attributionSourceID: sourceID, attributionDestination: destination,
      attributionSourceNonce: nonce, href: href, landingURL: landingURL, userGesture: userGesture ?? true, app: app)
  }
}

struct TriggeringEventBody: Decodable {
  let input: TriggeringEventInput

  init(from decoder: any Decoder) throws {
    var members = try MemberReader(decoder)
    let firstPartyURL = members.required("firstPartyURL", .url)
    let redirect = members.required("redirect", .object("an object with from and to") as MemberKind<RedirectBody>)
    let app = members.optional("app", .text)
    try members.finish()
    let hop = try members.found(redirect)
    input = TriggeringEventInput(
      firstPartyURL: try members.found(firstPartyURL), redirectFrom: hop.from, redirectTo: hop.to, app: app)
  }

  private struct RedirectBody: Decodable {
    let from: String
    let to: String

    init(from decoder: any Decoder) throws {
      var members = try MemberReader(decoder)
      let origin = members.required("from", .url)
      let target = members.required("to", .url)
      try members.finish()
      from = try members.found(origin)
      to = try members.found(target)
    }
  }
}
