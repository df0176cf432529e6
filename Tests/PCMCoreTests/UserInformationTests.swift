import PCMCore
import Testing

@Suite struct UserInformationTests {
  @Test(arguments: [
    ("https://user:secret@news.example/a?b#c", "https://news.example/a?b#c"),
    ("https://user@news.example", "https://news.example"),
    ("https://@news.example/", "https://news.example/"), ("https://a@b:secret@news.example/", "https://news.example/"),
    (" HTTPS:\\\\user:secret@news.example\\x", " HTTPS:\\\\news.example\\x"), ("https:user@news.example", "https:news.example"),
    ("https:///user@news.example/", "https:///news.example/"), ("ht\ntp:/\t/user:secret@a", "ht\ntp:/\t/a"),
    ("file://user@host/a@b", "file://host/a@b"), ("foo://user:se\\cret@host\\a/", "foo://host\\a/"),
    ("foo:/\t/user:secret@host", "foo:/\t/host"), ("https://user:sec ret@no host", "https://no host"),
    ("ftp://user:é@news.example", "ftp://news.example"), ("//user:secret@news.example/a@b", "//news.example/a@b"),
    ("https:/ user:secret@news.example", "https:/news.example"), ("\\/user@news.example", "\\/news.example"),
    (" /\t/user:secret@a/", " /\t/a/"), ("///user@a", "///a"),
  ])
  func userInformationIsRemoved(_ text: String, _ expected: String) {
    #expect(text.withoutUserInformation == expected)
  }

  @Test(arguments: [
    "", "@", ":", "a@b", "https://news.example/a@b", "https://news.example?a@b", "https://news.example#a@b",
    "mailto:a@b.example",
    "data:text/plain,a@b", "file:///a@b", "about:blank", "news.example/a", "https://news.example\\a@b", "https:",
    "user:secret@news.example", "/a@b", "/a//b@c", "//news.example/a@b", "//news.example?a@b", "/ /a@b",
  ])
  func otherTextIsUnchanged(_ text: String) {
    #expect(text.withoutUserInformation == text)
  }

  /// Rules compare whether there is user information, and errors name control characters and build settings.
  @Test(arguments: [
    ("https://user:secret@news.example/", "https://removed@news.example/"), ("//user@a", "//removed@a"),
    ("https://removed@news.example/", "https://removed@news.example/"), ("https://@a/b@c", "https://@a/b@c"),
    ("https://:@a", "https://@a"), ("https://\t:\n@a", "https://\t@a"), ("https://::@a", "https://removed@a"),
    ("https://$(USER):secret@a", "https://removed$()@a"), ("https://user:${SECRET}@a", "https://removed$()@a"),
    ("https://user:se\u{1}cret@a", "https://removed\u{1}@a"), ("https://a/b@c", "https://a/b@c"),
  ])
  func markedUserInformationTellsWhatRulesSee(_ text: String, _ expected: String) {
    #expect(text.withMarkedUserInformation == expected)
    #expect(expected.withMarkedUserInformation == expected)
  }

  @Test(arguments: [
    ("blob:https://user:secret@a/b@c", "blob:https://removed@a/b@c"),
    ("view-source:https:user@a", "view-source:https:removed@a"),
    ("https://user@a/x://user@b", "https://removed@a/x://removed@b"), ("http:https://user@a", "http:https://removed@a"),
    ("https://a:b@https://c:d@e", "https://removed@https://removed@e"), ("id https:\\\\u:p@a\\b", "id https:\\\\removed@a\\b"),
    ("see \"https://u:p@a\" or b@c", "see \"https://removed@a\" or b@c"),
    ("/a?b=https://u:p@c&d=e@f#g", "/a?b=https://removed@c&d=e@f#g"),
    ("https://a?b=https%3A%2F%2Fu%3Ap%40c&d=%40#e", "https://a?b=https%3A%2F%2Fremoved%40c&d=%40#e"),
    ("https://a?https://u:p@c", "https://a?https://removed@c"), ("https://a#ftp:u:p@c", "https://a#ftp:removed@c"),
  ])
  func userInformationOfURLsWithinATextIsMarked(_ text: String, _ expected: String) {
    #expect(text.withMarkedUserInformation == expected)
    #expect(expected.withMarkedUserInformation == expected)
    #expect(text.withoutUserInformation.withMarkedUserInformation == text.withoutAnyUserInformation)
  }

  @Test(arguments: [
    "", "@", "a@b", "see https://a.example, b@c", "https://a?b=c@d", "https://a?b=c%40d", "mailto:a@b", "x:y@z", "12:30@a",
    "by http: a@b", "see \"https://a.example\" or b@c", "https://a?b=http%3A%2F%2Fc&d=e%40f",
  ])
  func textWithoutUserInformationIsNotMarked(_ text: String) {
    #expect(text.withMarkedUserInformation == text)
  }

  @Test func aLongTextIsMarkedInOnePass() {
    let text = String(repeating: "http:", count: 100_000) + "u:p@a"
    #expect(text.withMarkedUserInformation == "http:removed@a")
    let schemes = String(repeating: "a://b:", count: 20_000) + "@"
    #expect(schemes.withMarkedUserInformation.hasSuffix("a://removed@"))
  }

  @Test func anInputLosesTheUserInformationOfEachText() {
    let link = LinkClickInput(
      pageURL: "blob:https://u:p@a.example", attributionSourceID: "https://u:p@b.example",
      attributionDestination: "https://u:p@c.example", observed: Provenance(frame: "https://u:p@d.example"))
    #expect(
      link.withoutUserInformation
        == LinkClickInput(
          pageURL: "blob:https://removed@a.example", attributionSourceID: "https://removed@b.example",
          attributionDestination: "https://c.example", observed: Provenance(frame: "https://d.example")))
    let event = TriggeringEventInput(
      firstPartyURL: "https://u:p@a.example", redirectFrom: "https://u:p@b.example", redirectTo: "https://u:p@c.example")
    #expect(
      event.withoutUserInformation
        == TriggeringEventInput(
          firstPartyURL: "https://a.example", redirectFrom: "https://b.example", redirectTo: "https://removed@c.example"))
    #expect(event.withoutUserInformation.json == event.json.withoutUserInformation)
  }

  @Test func aBodyKeepsEverythingElse() {
    let body: JSON = [
      "firstPartyURL": "https://a:secret@shop.example/", "bundleIdentifier": "https://a:b@c", "priority": 3,
      "reportEndpoint": "https://a:secret@b.example",
      "infoPlist": [
        "NSAdvertisingAttributionReportEndpoint": "https://a:secret@b.example",
        "AttributionCopyEndpoint": "https://a:secret@c.example", "other": ["https://a:secret@b"],
      ],
      "redirect": ["from": "https://a:secret@news.example/", "to": "https://a:secret@news.example/x"],
    ]
    #expect(
      body.withoutUserInformation == [
        "firstPartyURL": "https://shop.example/", "bundleIdentifier": "https://removed@c", "priority": 3,
        "reportEndpoint": "https://removed@b.example",
        "infoPlist": [
          "NSAdvertisingAttributionReportEndpoint": "https://removed@b.example",
          "AttributionCopyEndpoint": "https://removed@c.example", "other": ["https://removed@b"],
        ],
        "redirect": ["from": "https://news.example/", "to": "https://removed@news.example/x"],
      ])
    #expect(JSON.null.withoutUserInformation == .null)
  }
}
