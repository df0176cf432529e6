package import PCMCore

/// A part of a report or a postback that lists leave out unless a request includes it.
package enum ReportPart: String, CaseIterable {
  /// The body of the message.
  case body
  /// The endpoint's response to each attempt.
  case response
}

extension Report {
  /// The complete report.
  package var json: JSON { json(with: Set(ReportPart.allCases)) }

  package func json(with parts: Set<ReportPart>) -> JSON {
    let members: [JSON.Member] = [
      .init("id", .string(RecordName.report(id))),
      .init("attributionId", .string(RecordName.attribution(attribution))),
      .init("recipient", .string(recipient.rawValue)),
      .init("url", .string(url)),
      .init("dueAt", .string(dueAt.text)),
      .init("retryAt", .instant(retryAt)),
      .init("state", .string(state.rawValue)),
    ]
    return .object(members + .sent(body: body, attempts: attempts, attemptCount: attemptCount, with: parts))
  }
}

extension [JSON.Member] {
  /// The body of a report or a postback and its attempts, without the parts that a request does not include.
  static func sent(body: String, attempts: [KeptAttempt], attemptCount: Int, with parts: Set<ReportPart>) -> [JSON.Member] {
    let body = parts.contains(.body) ? [JSON.Member("body", .verbatim(body))] : []
    let attempts = attempts.map { parts.contains(.response) ? .verbatim($0.text) : $0.withoutResponse }
    return body + [.init("attemptCount", .number(Int64(attemptCount))), .init("attempts", .array(attempts))]
  }
}
