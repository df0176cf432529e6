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
  }

  @Test func aBodyKeepsEverythingElse() {
    let body: JSON = [
      "firstPartyURL": "https://a:secret@shop.example/", "bundleIdentifier": "https://a:b@c", "priority": 3,
      "reportEndpoint": "https://a:secret@b.example",
      "infoPlist": [
        "NSAdvertisingAttributionReportEndpoint": "https://a:secret@b.example",
        "AttributionCopyEndpoint": "https://a:secret@c.example", "other": "https://a:secret@b",
      ],
      "redirect": ["from": "https://a:secret@news.example/", "to": "https://a:secret@news.example/x"],
    ]
    #expect(
      body.withoutUserInformation == [
        "firstPartyURL": "https://shop.example/", "bundleIdentifier": "https://a:b@c", "priority": 3,
        "reportEndpoint": "https://removed@b.example",
        "infoPlist": [
          "NSAdvertisingAttributionReportEndpoint": "https://removed@b.example",
          "AttributionCopyEndpoint": "https://removed@c.example", "other": "https://a:secret@b",
        ],
        "redirect": ["from": "https://news.example/", "to": "https://removed@news.example/x"],
      ])
    #expect(JSON.null.withoutUserInformation == .null)
  }
}
