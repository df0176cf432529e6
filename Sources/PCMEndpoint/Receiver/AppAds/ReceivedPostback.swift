import PCMCore
internal import PCMCrypto
package import PCMVerify

/// A postback with the findings that do not depend on other postbacks. ``PostbackLedger`` decides whether it is a duplicate.
package struct ReceivedPostback: Hashable, Sendable {
  package let signature: SignatureVerdict
  /// The environment; nil for a signature that does not verify.
  package let environment: PostbackEnvironment?
  /// The identity; nil for a postback without an identifier.
  package let identity: PostbackIdentity?
  /// The reason the request receives an error; nil for a postback whose signature can be checked.
  package let error: RequestError?

  /// - Parameter framework: The framework whose postbacks the path accepts; nil for both.
  init(body: [UInt8], verifier: PostbackVerifier, for framework: AdFramework?) {
    guard let object = JSON(parsing: body, keepingNumbers: true), case .object = object else {
      let verdict = verifier.verdict(onOtherBody: body)
      // The remedy of a changed item repeats the fault.
      let why = [verdict.isRepaired ? "" : Self.detail(verdict), verdict.fix ?? ""].filter { !$0.isEmpty }
      let detail = (["The body is not a JSON object in UTF-8 with distinct members."] + why).joined(separator: " ")
      (signature, environment, identity) = (.unreadable(detail), nil, nil)
      error = RequestError(.notAnObject, detail)
      return
    }
    let members = PostbackMembers(object)
    (signature, environment) = verifier.verify(body, members)
    identity = members.identity
    error = Self.error(signature, members, for: framework)
  }

  private static func error(
    _ verdict: SignatureVerdict, _ members: PostbackMembers, for framework: AdFramework?
  ) -> RequestError? {
    guard verdict.subject == .postback else {
      let detail = "The object is not a postback: it has neither attribution-signature nor jws-string."
      guard verdict.subject == nil else { return RequestError(.notPostback, detail) }
      let named = verdict.faults.first?.detail == SignatureVerdict.neither ? nil : Self.detail(verdict)
      return RequestError(.notPostback, [detail, named, verdict.fix].compactMap { $0 }.joined(separator: " "))
    }
    if verdict.isRepaired {
      return RequestError(.postbackInvalid, [detail(verdict), verdict.fix ?? ""].joined(separator: " "))
    }
    if let framework, framework != members.framework {
      return RequestError(
        .wrongFramework,
        "This is a postback of \(members.framework.title); send it to \(members.framework.copyPath).")
    }
    guard verdict.check == .notChecked, verdict.outcome != .unverifiable else { return nil }
    return RequestError(.postbackInvalid, detail(verdict))
  }

  private static func detail(_ verdict: SignatureVerdict) -> String {
    verdict.faults.map { $0.pointer.isEmpty ? $0.detail : "\($0.pointer): \($0.detail)" }.joined(separator: " ")
  }
}

/// The verdict on a postback, with the first copy of a duplicate.
package struct PostbackVerdict: Hashable, Sendable {
  package let postback: ReceivedPostback
  package let duplicate: Duplicate?

  /// A repeated valid postback. The first copy counts.
  package struct Duplicate: Hashable, Sendable {
    /// The number of the first copy's request.
    package let number: Int64
    /// The unsigned members whose values differ from the first copy. A postback can be repeated with other values.
    package let changed: [String]
  }

  /// The verdict as JSON: the receiver's members after the members of `pcm-browser verify`.
  var json: JSON {
    .object(
      postback.signature.json.members + [
        .init("environment", .string(postback.environment?.rawValue)),
        .init("identifier", .string(postback.identity?.identifier)),
        .init("sequenceIndex", postback.identity.map { .number($0.sequenceIndex) } ?? .null),
        .init("duplicateOf", duplicate.map { .number($0.number) } ?? .null),
        .init("changed", .array((duplicate?.changed ?? []).map { .string($0) })),
      ])
  }
}

extension Verdict {
  init(_ verdict: PostbackVerdict) {
    let postback = verdict.postback
    let outcome: Outcome =
      switch postback.signature.outcome {
      case _ where postback.error != nil: .refused
      case .valid: verdict.duplicate == nil ? .accepted : .duplicate
      case .invalid: .forged
      case .unverifiable: .unverifiable
      }
    self.init(outcome)
    error = postback.error
    self.postback = verdict
  }
}
