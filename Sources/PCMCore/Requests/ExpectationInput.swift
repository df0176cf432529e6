/// The body of `POST …/expectations`.
package struct ExpectationInput: JSONBody {
  package var report: ExpectedReport?
  package var noReport: ExpectedReport?
  package var wait: Interval?

  /// The longest time to wait.
  package static let longestWait = Interval.minutes(5)

  package static let definition = BodyDefinition<Self>(
    "An expectation about the reports of a browser. Exactly one of `report` and `noReport` is present.",
    [
      .optional(
        "report", \.report, .object("an object with the properties of a report", component: "ExpectedReport"),
        "The properties of a report that exists"),
      .optional(
        "noReport", \.noReport, .object("an object with the properties of a report", component: "ExpectedReport"),
        "The properties of a report that does not exist"),
      .optional(
        "wait", \.wait, .duration(in: Interval(milliseconds: 0)...longestWait),
        "The time to wait for the report, or to watch that there is none, at most `PT5M`; the response follows at once when "
          + "absent"),
    ],
    rules: [.exactlyOne(of: ["report", "noReport"])])

  package init() {}

  package init(report: ExpectedReport, wait: Interval? = nil) {
    self.report = report
    self.wait = wait
  }

  package init(noReport: ExpectedReport, wait: Interval? = nil) {
    self.noReport = noReport
    self.wait = wait
  }
}

/// The properties of an expected or unwanted report. Nil stands for any value.
package struct ExpectedReport: JSONBody {
  package var recipient: Recipient?
  package var sourceSite: String?
  package var destinationSite: String?
  package var sourceIdentifier: Int?
  package var triggerData: Int?
  package var state: OutgoingMessage.State?

  package static let definition = BodyDefinition<Self>(
    "The properties of a report. Absent members match any value.",
    [
      .optional("recipient", \.recipient, .choice(Recipient.self, component: "Recipient"), "The recipient"),
      .optional("sourceSite", \.sourceSite, .string("a string with a domain"), "The registrable domain of the source"),
      .optional(
        "destinationSite", \.destinationSite, .string("a string with a domain"),
        "The registrable domain of the destination"),
      .optional(
        "sourceIdentifier", \.sourceIdentifier,
        .integer("an integer from 0 to 255", in: 0...255, keywords: [.init("minimum", 0), .init("maximum", 255)]),
        "The source identifier of the click"),
      .optional(
        "triggerData", \.triggerData,
        .integer("an integer from 0 to 15", in: 0...15, keywords: [.init("minimum", 0), .init("maximum", 15)]),
        "The trigger data of the triggering event"),
      .optional(
        "state", \.state, .choice(OutgoingMessage.State.self, component: "ReportState"),
        "The state. When absent, an expected report is `delivered`, and an unwanted one is `scheduled`, `sending`, "
          + "`delivered`, or `failed`"),
    ])

  package init() {}

  package init(
    recipient: Recipient? = nil, sourceSite: String? = nil, destinationSite: String? = nil, sourceIdentifier: Int? = nil,
    triggerData: Int? = nil, state: OutgoingMessage.State? = nil
  ) {
    self.recipient = recipient
    self.sourceSite = sourceSite
    self.destinationSite = destinationSite
    self.sourceIdentifier = sourceIdentifier
    self.triggerData = triggerData
    self.state = state
  }
}
