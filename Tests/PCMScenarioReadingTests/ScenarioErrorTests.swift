import PCMCore
import PCMScenario
import Testing

/// The errors of invalid files and their places.
@Suite struct ScenarioErrorTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let text: String
    /// Line, column, pointer and words, as `1:2 /a words`.
    let said: [String]

    var testDescription: String { text }

    init(_ text: String, _ said: String...) {
      self.text = text
      self.said = said
    }

    init(step: String, _ said: String...) {
      text = file(step: step)
      self.said = said
    }
  }

  static let files = [
    Case(
      "{}", "1:1  expected the member scenario: The scenario's name", "1:1  expected the member steps: The steps, in order"),
    Case("[]", "1:1  expected an object, found an empty list"),
    Case(
      "scenario: ''\nsteps: []\n",
      "1:11 /scenario expected a string of 1 to 200 bytes of printable characters, found \"\"",
      "2:8 /steps expected 1 to 1000 items, found 0"),
    Case(
      "scenario: 12\nsteps: { at: PT1H }\n",
      "1:11 /scenario expected a string of 1 to 200 bytes of printable characters, found 12; enclose it in quotes: \"12\"",
      "2:8 /steps expected a list, found an object"
    ),
    Case(
      "scenario: \"a\\u0000\"\nsteps: [{ at: PT1H }]\n",
      "1:11 /scenario expected a string of 1 to 200 bytes of printable characters, found \"a\\u0000\""),
    Case(
      "scenario: a\nbrowser: { seed: \"a\\u0000\" }\nsteps: [{ at: PT1H }]\n",
      "2:18 /browser/seed expected a string of 1 to 200 bytes without U+0000, found \"a\\u0000\""),
    Case(
      "scenario: \(String(repeating: "ü", count: 101))\nsteps: [{ at: PT1H }]\n",
      "1:11 /scenario expected a string of 1 to 200 bytes of printable characters, found "
        + "\"\(String(repeating: "ü", count: 60))…\""),
    Case(
      "scenario: a\nstesp: []\nsteps: [{ at: PT1H }]\n",
      "2:1 /stesp expected a known member, found \"stesp\"; did you mean \"steps\"?"),
    Case(
      "scenario: a\nx/~: 1\nsteps: [{ at: PT1H }]\n",
      "2:1 /x~1~0 expected scenario, rule, browser, device, ad-networks, apps, sites, steps, found \"x/~\""),
    Case(
      "scenario: a\nbrowser: { storage: disk, start: today, seed: '', settings: { debugMode: yes } }\nsteps: [{ at: PT1H }]\n",
      "2:21 /browser/storage expected ephemeral or durable, found \"disk\"",
      "2:34 /browser/start expected an RFC 3339 instant in the years 1970 to 9998 such as 2026-11-20T10:00:00.000Z, found \"today\"",
      "2:47 /browser/seed expected a string of 1 to 200 bytes without U+0000, found \"\"",
      "2:74 /browser/settings/debugMode expected true or false, found \"yes\""),
    Case(
      "scenario: a\nbrowser: { seed: 1 }\nsteps: [{ clear: { site: true }, name: -1 }]\n",
      "2:18 /browser/seed expected a string of 1 to 200 bytes without U+0000, found 1; enclose it in quotes: \"1\"",
      "3:26 /steps/0/clear/site expected a string, found true; enclose it in quotes: \"true\"",
      "3:40 /steps/0/name expected a string of 1 to 200 bytes of printable characters, found -1; enclose it in quotes: \"-1\""),
    Case(
      "scenario: a\nsites: { Shop.example: { report: [{}, { status: 99 }] } }\nsteps: [{ at: PT1H }]\n",
      "2:10 /sites/Shop.example expected a host in lowercase such as shop.example, found \"Shop.example\"",
      "2:49 /sites/Shop.example/report/1/status expected an integer from 100 to 599, found 99"),
    Case(
      "scenario: a\nsites: { a.example: { tokenKey: {}, report: { forged: true }, sign: [], key: third } }\nsteps: [{ at: PT1H }]\n",
      "2:23 /sites/a.example/tokenKey expected a known member, found \"tokenKey\"; did you mean \"token-key\"?",
      "2:47 /sites/a.example/report/forged expected status, content-type, body, location, resource-policy, failure, found \"forged\"",
      "2:69 /sites/a.example/sign expected 1 to 1000 items, found 0",
      "2:78 /sites/a.example/key expected first or second, found \"third\""),
    Case(
      "scenario: a\nsites: { a.example: { report: { failure: time-out, status: 200 } } }\nsteps: [{ at: PT1H }]\n",
      "2:42 /sites/a.example/report/failure expected url-refused, name-not-resolved, address-refused, connection-failed, tls-failed, "
        + "certificate-refused, ca-file-unreadable, timed-out, connection-lost, protocol-error, transport-closed, token-key-unavailable, "
        + "token-key-invalid, token-key-changed or interrupted, found \"time-out\"; did you mean \"timed-out\"?",
      "2:33 /sites/a.example/report expected failure without other members"),
    Case(
      "scenario: a\nsteps: [{ at: PT2H }, { at: PT1H }, { restart: {} }]\n",
      "2:29 /steps/1/at expected a time not before the PT2H of an earlier step, found PT1H",
      "2:39 /steps/2/restart expected browser.storage to be durable; data in memory is lost in a restart"),
    Case(
      "scenario: a\nsteps: [{ at: PT1H }, { at: P3652500D }]\n",
      "2:29 /steps/1/at expected a time of the clock not after 9998-12-31T23:59:59.999Z, found PT87660000H"),
    Case(
      "scenario: a\nbrowser: { start: 9998-12-31T23:59:59.998Z }\nsteps: [{ at: PT0.001S }, { at: PT0.002S }]\n",
      "3:33 /steps/1/at expected a time of the clock not after 9998-12-31T23:59:59.999Z, found PT0.002S"),
    Case(
      "scenario: a\nbrowser: { start: 9999-01-01T00:00:00.000Z }\nsteps: [{ at: PT1H }]\n",
      "2:19 /browser/start expected an RFC 3339 instant in the years 1970 to 9998 such as 2026-11-20T10:00:00.000Z, found "
        + "\"9999-01-01T00:00:00.000Z\""),
  ]

  static let steps = [
    Case(
      step: "{}",
      "4:5 /steps/0 expected at least one of at, event-attribution, link-click, triggering-event, load, page-event, advance, settings, "
        + "app, remove-app, device, ad-network, remove-ad-network, impression, impression-end, impression-tap, install, launch, conversion-value, development-postback, send-development-postbacks, clear-development-postbacks, cards, card-impression, card-click, card-dismissal, tracking-request, tracking-answer, tracking-setting, sdk-event, sites, clear, restart, expect"
    ),
    Case(step: "at: 26h", "4:9 /steps/0/at expected a duration such as PT26H, found \"26h\""),
    Case(step: "at: 3", "4:9 /steps/0/at expected a duration such as PT26H, found 3"),
    Case(
      step: "clear: {}\nrestart: {}",
      "5:5 /steps/0 expected at most one of event-attribution, link-click, triggering-event, load, page-event, "
        + "advance, settings, app, remove-app, device, ad-network, remove-ad-network, impression, impression-end, impression-tap, install, launch, conversion-value, development-postback, send-development-postbacks, clear-development-postbacks, cards, card-impression, card-click, card-dismissal, tracking-request, tracking-answer, tracking-setting, sdk-event, sites, clear, restart, found clear and restart"
    ),
    Case(step: "restart: true", "4:14 /steps/0/restart expected {}, found true"),
    Case(step: "restart: { now: true }", "4:16 /steps/0/restart/now expected no member, found \"now\""),
    Case(
      step: "load: { url: 'https://a.example' }",
      "4:11 /steps/0/load expected the member firstPartyURL: The page that makes the request, an absolute http or https URL"),
    Case(
      step: "event-attribution: { bundleIdentifier: a, sourceIdentifier: '4', destinationURL: b, tapVerifed: true }",
      "4:65 /steps/0/event-attribution/sourceIdentifier expected an integer, found \"4\"; remove the quotes",
      "4:89 /steps/0/event-attribution/tapVerifed expected a known member, found \"tapVerifed\"; did you mean \"tapVerified\"?"),
    Case(
      step: "load: { firstPartyURL: a, url: b }\nexpect: { status: '99' }",
      "5:23 /steps/0/expect/status expected an integer from 100 to 599, found \"99\""),
    Case(
      step: "settings: { debugMode: 'true', privateBrowsing: 'yes' }",
      "4:28 /steps/0/settings/debugMode expected true or false, found \"true\"; remove the quotes",
      "4:53 /steps/0/settings/privateBrowsing expected true or false, found \"yes\""),
    Case(step: "advance: 3h", "4:14 /steps/0/advance expected a duration such as PT26H, found \"3h\""),
    Case(step: "advance: [PT3H]", "4:14 /steps/0/advance expected a duration such as PT26H or an object, found a list"),
    Case(
      step: "advance: { by: PT3H, until: true }",
      "4:26 /steps/0/advance/until expected by, to, toNextEvent, untilIdle, within, found \"until\""),
    Case(
      step: "app: { reportEndpoint: a }",
      "4:10 /steps/0/app expected an object with manifest, an object with plist or an object with bundleIdentifier, found an object"
    ),
    Case(
      step: "app: { plist: a, reportEndpoint: b }",
      "4:22 /steps/0/app/reportEndpoint expected plist, bundleIdentifier, found \"reportEndpoint\""),
    Case(
      step: "app: { manifest: a }",
      "4:22 /steps/0/app/manifest expected no files here; use plist with the text of the manifest"),
    Case(
      step: "expect: { outcome: Stored }",
      "4:24 /steps/0/expect/outcome expected stored, ephemeral, discarded, handed-over, attributed, unmatched, rejected, "
        + "not-triggering, started, recorded, reengaged, opened, unattributed, accepted, counted, prompted, answered, changed, terminated or held, "
        + "found \"Stored\"; did you mean \"stored\"?"),
    Case(step: "expect: { reasons: noClick }", "4:24 /steps/0/expect/reasons expected a list, found \"noClick\""),
    Case(
      step: "expect: { reasons: [noClick], errors: [a], nothing: false }",
      "4:25 /steps/0/expect/reasons/0 expected a code in kebab case such as http-status, found \"noClick\"",
      "4:44 /steps/0/expect/errors/0 expected a JSON pointer such as /sourceIdentifier, or an empty string, found \"a\"",
      "4:57 /steps/0/expect/nothing expected true; otherwise, omit it, found false"),
    Case(
      step: "expect:\n  reports:\n    - due: [PT27H]\n    - due: [PT27H, PT27H]\n    - due: [27, PT3H]\n      stat: failed",
      "6:16 /steps/0/expect/reports/0/due expected two durations such as [PT27H, PT51H], found a list",
      "7:16 /steps/0/expect/reports/1/due expected the second duration after the first; the window is half-open, "
        + "so [PT1H, PT1H] is empty",
      "8:17 /steps/0/expect/reports/2/due/0 expected a duration such as PT26H, found 27",
      "9:11 /steps/0/expect/reports/2/stat expected recipient, state, due, failure, body, url, id, attributionId, dueAt, retryAt, "
        + "attemptCount, attempts, found \"stat\"; did you mean \"state\"?"),
    Case(
      step: "expect: { sent: [{ to: a.example, kind: key }, [], [[]]] }",
      "4:45 /steps/0/expect/sent/0/kind expected report, token-key, sign, load, postback, signed-payload or sdk-request, found \"key\"",
      "4:52 /steps/0/expect/sent/1 expected 1 to 1000 items, found 0",
      "4:57 /steps/0/expect/sent/2/0 expected an object, found an empty list"),
    Case(
      step: "expect: { measurements: { ephemeral: { sourceSit: a } } }",
      "4:44 /steps/0/expect/measurements/ephemeral/sourceSit expected id, sourceSite, destinationSite, sourceIdentifier, "
        + "bundleIdentifier, clickedAt, expiresAt, replacedClickId, sourceToken, found \"sourceSit\"; did you mean \"sourceSite\"?"
    ),
  ]

  @Test("An error contains its place, its pointer, and the expected value", arguments: files + steps)
  func said(_ text: Case) {
    let said = errors(text.text).map { "\($0.place.line):\($0.place.column) \($0.pointer) \($0.detail)" }
    #expect(said == text.said, "\(text.text)")
  }

  @Test(
    "An expected event must have a known kind that expectations include",
    arguments: ["clock-advanced", "click-stord", "app-registered"])
  func events(_ kind: String) throws {
    for item in [kind, "[\(kind)]", "{ kind: \(kind) }"] {
      let first = try #require(errors(file(step: "expect: { events: [\(item)] }")).first)
      #expect(first.detail.hasPrefix("expected click-stored, click-held,"), "\(first.detail)")
      #expect(first.detail.contains("; did you mean \"click-stored\"?") == (kind == "click-stord"))
    }
  }

  @Test(
    "A call that the API rejects is a valid step",
    arguments: [
      "event-attribution: { bundleIdentifier: '', sourceIdentifier: -1, destinationURL: x, presentation: sideways, sourceNonce: null }",
      "link-click: { pageURL: '' }", "load: { firstPartyURL: a, url: b, method: PUT }", "settings: { deliveryPolicy: never }",
      "advance: { by: soon }", "advance: {}", "advance: { by: PT1H, to: x }", "clear: { site: '..' }", "remove-app: ''",
      "app: { bundleIdentifier: 'not good' }", "triggering-event: { firstPartyURL: a, redirect: { from: b, to: c } }",
    ])
  func refusedCalls(_ step: String) {
    #expect(errors(file(step: step + "\nexpect: { status: 422 }")) == [])
  }

  @Test("At most 100 errors are reported, and at most 1,000 steps are parsed")
  func many() {
    let steps = Array(repeating: "{ a: b }", count: 1_001).joined(separator: ", ")
    let found = errors("scenario: a\nsteps: [\(steps)]\n")
    #expect(found.count == 100)
    #expect(found.first?.detail == "expected 1 to 1000 items, found 1001")
  }

  @Test("The text of an error shows the line and marks the column")
  func forPeople() {
    let bytes = Array("scenario: ä\n\tsteps: \u{1B}\n\n\(String(repeating: "x", count: 200))\n".utf8)
    let errors = ScenarioErrors([
      ScenarioError("expected a", at: SourcePlace(line: 1, column: 11)),
      ScenarioError("expected b", at: SourcePlace(line: 2, column: 9)),
      ScenarioError("expected c", at: SourcePlace(line: 3, column: 1)),
      ScenarioError("expected d", at: SourcePlace(line: 4, column: 101)),
      ScenarioError("expected e", at: SourcePlace(line: 9, column: 9)),
    ])
    #expect(
      errors.text(file: "a.yaml", bytes: bytes) == """
        a.yaml:1:11: expected a
          scenario: ä
                    ^
        a.yaml:2:9: expected b
           steps:  \("")
                  ^
        a.yaml:3:1: expected c
        a.yaml:4:101: expected d
          …\(String(repeating: "x", count: 120))…
           \(String(repeating: " ", count: 60))^
        a.yaml:9:9: expected e

        """)
    let first = ScenarioErrors([ScenarioError("expected a", at: SourcePlace(line: 1, column: 11), pointer: "/a")])
    #expect(
      first.json(file: "a.yaml").text == #"[{"file":"a.yaml","line":1,"column":11,"pointer":"/a","detail":"expected a"}]"#)
  }
}
