import Testing

@testable import PCMCurl

@Suite("Route entries")
struct RouteRulesTests {
  @Test("libcurl receives only the entries that can match a request")
  func selection() {
    let entries = ["a.example:443:1.1.1.1", "B.example:443:2.2.2.2", "*:443:3.3.3.3", "a.example:444:4.4.4.4", "odd"]
    let rules = RouteRules(connectTo: [], resolve: entries)
    #expect(rules.resolveEntries(host: "A.example", port: 443) == ["odd", entries[0], entries[2]])
    #expect(rules.resolveEntries(host: "b.example", port: 443) == ["odd", entries[1], entries[2]])
    #expect(rules.resolveEntries(host: "c.example", port: 80) == ["odd"])
  }

  @Test("With connectTo entries, libcurl receives all resolve entries")
  func everything() {
    let entries = ["a.example:443:1.1.1.1", "b.example:443:2.2.2.2"]
    let rules = RouteRules(connectTo: ["c.example:443:a.example:443"], resolve: entries)
    #expect(rules.resolveEntries(host: "c.example", port: 443) == entries)
  }

  @Test(
    "An entry names a target if it matches the host and the port and has a host on either side",
    arguments: [
      ("a.example:443:b:1", true), ("A.EXAMPLE:443:b:1", true), (":443:b:1", true), ("a.example::b:1", true), ("::b:", true),
      ("a.example:443::1", true), ("a.example:::1", true), ("::[::1]:1", true),
      (":443::1", false), (":::1", false), (":80::1", false), (":::", false), (":443::", false), ("a.example:443::", false),
      ("a.example:443:b", false), ("a.example:443", false), ("::", false),
      ("a.example:444:b:1", false), ("b.example:443:b:1", false), ("[::1]:443:b:1", false), ("a.example:x:b:1", false),
      ("*:443:b:1", false), ("", false), ("[::1", false),
    ])
  func connectTo(_ entry: String, _ isNamed: Bool) {
    #expect(RouteRules(connectTo: [entry], resolve: []).nameTarget(host: "a.example", port: 443) == isNamed)
  }

  @Test(
    "The first entry that matches and changes something decides, as in libcurl",
    arguments: [
      ([":443::1", "::127.0.0.1:8443"], false), (["::127.0.0.1:8443", ":443::1"], true),
      (["a.example:443::", ":443::1"], false), ([":443::", "::127.0.0.1:8443"], true),
      (["b.example:443::1", ":443::1", "a.example:443:c:1"], false),
    ])
  func firstMatch(_ entries: [String], _ isNamed: Bool) {
    #expect(RouteRules(connectTo: entries, resolve: []).nameTarget(host: "a.example", port: 443) == isNamed)
  }

  @Test(
    "After an entry that changes only the port, a resolve entry for the new port names the target",
    arguments: [("a.example:1:127.0.0.1", true), ("*:1:127.0.0.1", true), ("a.example:443:127.0.0.1", false)])
  func newPort(_ entry: String, _ isNamed: Bool) {
    #expect(RouteRules(connectTo: [":443::1"], resolve: [entry]).nameTarget(host: "a.example", port: 443) == isNamed)
  }

  @Test("An IPv6 host is in brackets")
  func brackets() {
    #expect(RouteRules(connectTo: ["[::1]:443:b:1"], resolve: []).nameTarget(host: "[::1]", port: 443))
    #expect(!RouteRules(connectTo: ["[::1]:443:b:1"], resolve: []).nameTarget(host: "[::2]", port: 443))
  }

  @Test("A removed entry matches nothing, and the last entry counts")
  func takenBack() {
    let added = "a.example:443:1.1.1.1"
    #expect(RouteRules(connectTo: [], resolve: ["-a.example:443", added]).nameTarget(host: "a.example", port: 443))
    #expect(!RouteRules(connectTo: [], resolve: [added, "-a.example:443"]).nameTarget(host: "a.example", port: 443))
  }
}
