import Foundation
import PCMApp
import PCMCore
import PCMNetwork
import PCMURL
import ServiceSupport

@testable import PCMEndpoint

/// A check of the executable's reference endpoint.
extension ReceiveStage {
  var admin: CheckOptions.ReceiverAdmin { CheckOptions.ReceiverAdmin(url: "https://127.0.0.1:\(process.port)/admin") }

  /// - Parameter change: Additions to an examination of the source's endpoint that can ask the receiver.
  func check(_ change: (inout CheckOptions) throws -> Void = { _ in }) async throws -> CheckReport {
    let parser = SiteParser(publicSuffixList: .builtIn())
    var options = CheckOptions(
      endpoint: try parser.url("https://news.example"),
      route: NetworkRoute(
        connectTo: ["::127.0.0.1:\(process.port)"], caFile: files.path + "/ca.pem", connectTimeout: .minutes(5)),
      nonces: .receiver(admin), pixel: try parser.url("https://news.example/pixel?data=12&priority=3"), patience: .endless)
    try change(&options)
    // The machine's own time, because the receiver's certificate was made a moment ago.
    let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    return try await EndpointChecker(options: options, parser: parser, prober: transport).run(at: now)
  }
}

extension CheckOptions.Patience {
  /// No machine is so busy: for tests that are not about time.
  static let endless = Self(good: .minutes(3), tolerable: .minutes(4), maximum: .minutes(5), total: .minutes(30))
}

extension CheckReport {
  /// The rules that failed, in the order of the catalogue.
  var failedRules: [String] {
    findings.compactMap { finding in if case .failed = finding.verdict { finding.rule.id } else { nil } }
  }

  /// The failed rules with the values that they saw, for a failure message.
  var failures: String {
    findings.compactMap { finding in
      guard case .failed(let what) = finding.verdict else { return nil }
      return "\(finding.rule.id): \(what) \(finding.evidence.map { "\($0.request) -> \($0.answer)" })"
    }.joined(separator: "\n")
  }

  /// The rules that kept others from being judged.
  var roots: Set<String> {
    Set(findings.compactMap { finding in if case .notReached(let root) = finding.verdict { root } else { nil } })
  }

  /// The rules that were left aside.
  var setAside: [String: String] {
    Dictionary(
      uniqueKeysWithValues: findings.compactMap { finding in
        if case .notApplicable(let why) = finding.verdict { (finding.rule.id, why) } else { nil }
      })
  }
}
