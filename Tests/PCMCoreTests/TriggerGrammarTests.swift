import PCMCore
import Testing

/// Section C of the conformance cases: the grammar of trigger URLs.
@Suite struct TriggerGrammarTests {
  private static let prefix = "https://webkit.org/.well-known/private-click-measurement/trigger-attribution/"

  private func read(_ text: String) throws -> Result<TriggerURL, Violation> {
    let url = try url(text)
    #expect(TriggerURL.isTrigger(url))
    return TriggerURL.parse(url, parse: parse)
  }

  private func rejectionCode(_ text: String) throws -> String? {
    guard case .failure(let rejection) = try read(text) else { return nil }
    return rejection.reason.code
  }

  @Test(arguments: [
    Case("38", "10", Trigger(data: 10, priority: 0)),
    Case("39", "15", Trigger(data: 15, priority: 0)),
    Case("40", "02", Trigger(data: 2, priority: 0)),
    Case("41", "10/12", Trigger(data: 10, priority: 12)),
    Case("42", "15/63", Trigger(data: 15, priority: 63)),
    Case("43", "10/02", Trigger(data: 10, priority: 2)),
    Case("38", "00/00", Trigger(data: 0, priority: 0)),
  ])
  func aPathOfTwoDigitsOrTwoPairsOfDigitsIsATrigger(_ one: Case<String, Trigger>) throws {
    let trigger = try read(Self.prefix + one.given).get()
    #expect(trigger.trigger == one.then)
    #expect(!trigger.isLenient)
    #expect(trigger.attributionSource == nil)
  }

  @Test(arguments: [
    Case("63", "+5", Trigger(data: 5, priority: 0)),
    Case("63", "12-07", Trigger(data: 12, priority: 7)),
    Case("63", "12x03", Trigger(data: 12, priority: 3)),
    Case("63", "12/+3", Trigger(data: 12, priority: 3)),
  ])
  func aPathThatOnlyWebKitAcceptsIsLenient(_ one: Case<String, Trigger>) throws {
    let trigger = try read(Self.prefix + one.given).get()
    #expect(trigger.trigger == one.then)
    #expect(trigger.isLenient)
  }

  @Test(
    "Numbers in another form are written in the change, and others leave the form",
    arguments: [
      ("7", "07"), ("7/3", "07/03"), ("007/064", nil), ("07/", "07"), ("/10/12", "10/12"), ("07/03/01", nil), ("160", nil),
      ("", nil),
    ] as [(String, String?)])
  func correctedPath(_ tail: String, _ corrected: String?) throws {
    guard case .failure(let rejection) = try read(Self.prefix + tail) else {
      Issue.record("\(tail) is a trigger path")
      return
    }
    #expect(rejection.change == "end the path with trigger-attribution/\(corrected ?? "DD or trigger-attribution/DD/PP")")
  }

  @Test(arguments: [
    Case("44", "2", "path-unrecognised"),
    Case("45", "2s", "data-invalid"),
    Case("46", "-2", "data-invalid"),
    Case("46", "++", "data-invalid"),
    Case("47", "16", "data-invalid"),
    Case("48", "10/2", "path-unrecognised"),
    Case("49", "10/2s", "priority-invalid"),
    Case("50", "10/-2", "priority-invalid"),
    Case("51", "10/64", "priority-invalid"),
    Case("52", "16/22", "data-invalid"),
    Case("53", "16/64", "data-invalid"),
    Case("54", "/10/12", "path-unrecognised"),
    Case("55", "10/12/", "path-unrecognised"),
    Case("56", "10/12?", "query-empty"),
    Case("56", "10/12?&", "query-empty"),
    Case("59", "10?extra=data", "query-unsupported"),
    Case("60", "10#", "has-fragment"),
    Case("60", "10#fragment", "has-fragment"),
    Case("24", "whatever", "path-unrecognised"),
    Case("26", "Dummy?attributionSource=https://webkit.org", "data-invalid"),
    Case("62", "99?x=y", "query-unsupported"),
    Case("63", "12{03", "path-unrecognised"),
    Case("63", "1%32", "path-unrecognised"),
    Case("44", "", "path-unrecognised"),
    Case("44", "012", "path-unrecognised"),
  ])
  func anInvalidPathIsRejectedWithAReason(_ one: Case<String, String>) throws {
    #expect(try rejectionCode(Self.prefix + one.given) == one.then)
  }

  @Test(arguments: [
    Case("57", "http", "not-https"), Case("57", "wss", "not-https"), Case("57", "file", "not-https"),
    Case("57", "ftp", "not-https"),
  ])
  func aTriggerURLMustBeHTTPS(_ one: Case<String, String>) throws {
    let text = "\(one.given)://webkit.org/.well-known/private-click-measurement/trigger-attribution/10/12"
    #expect(try rejectionCode(text) == one.then)
  }

  @Test(arguments: [
    Case("58", "user:pw@", "has-credentials"), Case("58", "user@", "has-credentials"), Case("58", ":pw@", "has-credentials"),
  ])
  func aTriggerURLMustNotHaveCredentials(_ one: Case<String, String>) throws {
    let text = "https://\(one.given)webkit.org/.well-known/private-click-measurement/trigger-attribution/10"
    #expect(try rejectionCode(text) == one.then)
  }

  @Test(arguments: [
    Case("61", "attributionSource=https://news.example", "news.example"),
    Case("61", "attributionSource=https%3A%2F%2Fnews.example", "news.example"),
    Case("61", "attributionSource=https://sub.news.example:8443/", "news.example"),
    Case("61", "attributionSource=http://news.example", "news.example"),
    Case("61", "attributionDestinationNonce=N&attributionSource=https://news.example", "news.example"),
    Case("61", "attributionSource=https://news.example&attributionDestinationNonce=N", "news.example"),
    Case("61", "attributionSource=https://127.0.0.1", "127.0.0.1"),
  ])
  func attributionSourceIsReadAsASite(_ one: Case<String, String>) throws {
    #expect(try read(Self.prefix + "12?" + one.given).get().attributionSource == Site(one.then))
  }

  @Test(arguments: [
    Case("61", "attributionSource=https://a.example&attributionDestinationNonce=N&x=y", "query-unsupported"),
    Case("61", "attributionSource=https://a.example&attributionSource=https://b.example", "source-parameter-repeated"),
    Case("61", "attributionSource=", "source-parameter-empty"),
    Case("61", "attributionSource", "source-parameter-empty"),
    Case("61", "attributionSource=news.example", "source-parameter-invalid"),
    Case("61", "attributionSource=https://news.example/x", "source-parameter-invalid"),
    Case("61", "attributionSource=https://u:p@news.example", "source-parameter-invalid"),
    Case("61", "attributionSource=https://news.example?q", "source-parameter-invalid"),
    Case("61", "attributionSource=https://news.example%23", "source-parameter-invalid"),
    Case("61", "attributionDestinationNonce=", "nonce-parameter-empty"),
    Case("61", "attributionDestinationNonce=N&attributionDestinationNonce=N", "nonce-parameter-repeated"),
    Case("61", "attributionsource=https://news.example", "query-unsupported"),
  ])
  func anInvalidQueryIsRejectedWithAReason(_ one: Case<String, String>) throws {
    #expect(try rejectionCode(Self.prefix + "12?" + one.given) == one.then)
  }

  @Test func aNonceIsNotValidatedByTheGrammar() throws {
    let trigger = try read(Self.prefix + "12?attributionDestinationNonce=not%20valid").get()
    #expect(trigger.destinationNonce == "not valid")
  }

  @Test(arguments: [
    "https://webkit.org/.well-known/private-click-measurement/report-attribution/12",
    "https://webkit.org/.Well-Known/private-click-measurement/trigger-attribution/12",
    "https://webkit.org/.well-known/private-click-measurement/trigger-attribution",
    "https://webkit.org/x/.well-known/private-click-measurement/trigger-attribution/12",
    "https://webkit.org/.well-known/private%2Dclick-measurement/trigger-attribution/12",
  ])
  func anyOtherPathIsNotATriggerPath(_ text: String) throws {
    #expect(!TriggerURL.isTrigger(try url(text)))
  }
}
