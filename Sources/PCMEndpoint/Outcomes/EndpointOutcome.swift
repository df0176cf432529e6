package import PCMCore
import PCMNetwork

/// A situation at an endpoint, and its consequences.
package struct EndpointOutcome: Sendable {
  /// The situation, as the subject of a sentence.
  package let situation: String
  /// The behavior of Safari or iOS, in sentences.
  package let behavior: String
  /// The state and the reason that pcm-browser records: `failed, http-status`.
  package let record: String
  /// The first rule of `check` that fails; nil if no rule fails because of the situation.
  package let rule: String?
  package let origin: RuleOrigin
  /// The examples that tests play.
  let play: Play

  /// A way to play a situation.
  enum Play: Sendable {
    /// Each message receives one of these responses.
    case answers([Answer])
    /// The connections or the messages fail.
    case failure(TransportFailure.Code, atHandshake: Bool = false)
    /// The certificate of the endpoint.
    case certificate(Certificate)
    /// The scenarios in `Fixtures/scenarios`.
    case scenarios([String])
  }

  struct Answer: Sendable {
    var status = 200
    var location: String?
    var seconds: Int64 = 0
    var httpVersion: String?
    var isOverIPv6 = false
  }

  enum Certificate: Sendable {
    case unknownAuthority, expired, otherHost
  }

  init(
    _ situation: String, _ behavior: String, _ record: String, _ rule: String?, _ origin: RuleOrigin, _ play: Play
  ) {
    (self.situation, self.behavior, self.record) = (situation, behavior, record)
    (self.rule, self.origin, self.play) = (rule, origin, play)
  }

  package var json: JSON {
    [
      "situation": .string(situation), "behavior": .string(behavior), "record": .string(record), "rule": .string(rule),
      "origin": .string(origin.text),
    ]
  }
}

/// The consequences of an endpoint's responses, for the command line and the documentation.
package enum EndpointOutcomes {
  package struct Topic: Sendable {
    package let title: String
    /// The framework of the postbacks; nil for reports.
    let framework: AdFramework?
    package let outcomes: [EndpointOutcome]
  }

  package static let topics = [
    Topic(title: "Reports of Private Click Measurement", framework: nil, outcomes: reports),
    Topic(title: "Postbacks of SKAdNetwork", framework: .skadnetwork, outcomes: postbacks(.skadnetwork)),
    Topic(title: "Postbacks of AdAttributionKit", framework: .adattributionkit, outcomes: postbacks(.adattributionkit)),
  ]

  /// Returns the outcomes that contain all words, by topic.
  package static func topics(containing words: [String]) -> [Topic] {
    topics.compactMap { topic in
      let outcomes = topic.outcomes.filter {
        [topic.title, $0.situation, $0.behavior, $0.record, $0.rule ?? ""].joined(separator: "\n").containsAll(words)
      }
      return outcomes.isEmpty ? nil : Topic(title: topic.title, framework: topic.framework, outcomes: outcomes)
    }
  }

  package static func json(of topics: [Topic]) -> JSON {
    .array(
      topics.map { topic in
        ["topic": .string(topic.title), "outcomes": .array(topic.outcomes.map(\.json))]
      })
  }
}
