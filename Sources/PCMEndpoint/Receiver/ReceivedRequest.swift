package import PCMCore
import PCMCrypto

/// A received request.
package struct ReceivedRequest: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case report
    case key
    case sign
    case trigger
    case pixel
    /// A postback of SKAdNetwork or AdAttributionKit.
    case postback
    /// A request for the signed values of a web ad.
    case signedPayload = "signed-payload"
  }

  package let kind: Kind
  /// The host in the request, in lower case and without a port.
  package let host: String
  package let method: String
  package let path: String
  /// The headers in the order received.
  package let headers: [Header]
  package let body: [UInt8]

  package struct Header: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package init(kind: Kind, host: String, method: String, path: String, headers: [Header], body: [UInt8]) {
    self.kind = kind
    self.host = host
    self.method = method
    self.path = path
    self.headers = headers
    self.body = body
  }

  /// The size of all texts and the body.
  var byteCount: Int {
    headers.reduce(host.utf8.count + method.utf8.count + path.utf8.count + body.count) {
      $0 + $1.name.utf8.count + $1.value.utf8.count
    }
  }
}

/// The result of evaluating a request.
package struct Verdict: Hashable, Sendable {
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// The request is valid. Tokens were verified if their keys are known.
    case accepted
    /// A report with a token that was already received, or a repeated postback.
    case duplicate
    /// A report with a malformed token or a token that its site did not sign, or a postback whose signature fails or whose
    /// values no device sends.
    case forged
    /// A postback with an unknown version or key.
    case unverifiable
    /// An invalid request.
    case refused
    /// A fault prevented the evaluation.
    case notProcessed = "not-processed"
  }

  package let outcome: Outcome
  package var error: RequestError?
  package var tokens: [Recipient: TokenVerdict] = [:]
  /// The recipients of the report on this host; empty for other hosts.
  package var recipients: [Recipient] = []
  package var postback: PostbackVerdict?

  init(_ outcome: Outcome) { self.outcome = outcome }

  init(_ error: RequestError) {
    outcome = .refused
    self.error = error
  }

  init(tokens: [Recipient: TokenVerdict], recipients: [Recipient]) {
    let verdicts = Array(tokens.values)
    if verdicts.contains(where: { if case .rejected = $0 { true } else { false } }) {
      outcome = .forged
    } else if verdicts.contains(where: { if case .duplicate = $0 { true } else { false } }) {
      outcome = .duplicate
    } else {
      outcome = .accepted
    }
    self.tokens = tokens
    self.recipients = recipients
  }
}

/// A request and its verdict, as listed and stored.
package struct Entry: Hashable, Sendable {
  package let number: Int64
  package let at: Instant
  package let received: ReceivedRequest
  package let verdict: Verdict
  package let fault: InjectedFault.Kind?
  /// The approximate size in memory.
  let byteCount: Int

  init(number: Int64, at: Instant, received: ReceivedRequest, verdict: Verdict, fault: InjectedFault.Kind?) {
    self.number = number
    self.at = at
    self.received = received
    self.verdict = verdict
    self.fault = fault
    // The verdict on a postback repeats most of its body.
    byteCount = received.byteCount + (verdict.postback?.json.bytes.count ?? 0)
  }

  package var json: JSON {
    [
      "number": .number(number), "at": .instant(at), "kind": .string(received.kind.rawValue), "host": .string(received.host),
      "method": .string(received.method), "path": .string(received.path),
      "headers": .array(received.headers.map { ["name": .string($0.name), "value": .string($0.value)] }),
      "body": .string(String(decoding: received.body, as: UTF8.self)), "verdict": .string(verdict.outcome.rawValue),
      "code": .string(verdict.error?.code.rawValue), "detail": .string(verdict.error?.detail),
      "recipients": .array(verdict.recipients.map { .string($0.rawValue) }),
      "tokens": .object(Recipient.allCases.map { .init($0.rawValue, verdict.tokens[$0]?.json ?? .null) }),
      "postback": verdict.postback?.json ?? .null,
      "fault": .string(fault?.rawValue),
    ]
  }
}

extension TokenVerdict {
  fileprivate var json: JSON {
    switch self {
    case .verified(let key): ["verdict": "verified", "keyId": .string(key.text)]
    case .duplicate(let key): ["verdict": "duplicate", "keyId": .string(key.text)]
    case .unverified: ["verdict": "unverified", "code": "key-unknown"]
    case .rejected(let code, let detail):
      ["verdict": "rejected", "code": .string(code), "detail": .string(detail)]
    }
  }
}
