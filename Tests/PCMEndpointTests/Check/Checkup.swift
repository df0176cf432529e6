import PCMCore
import PCMNetwork
import PCMURL

@testable import PCMEndpoint

/// A check of an endpoint in memory.
struct Checkup {
  var certificate: String
  var options: CheckOptions
  var change: GoodEndpoint.Change = { _, _, _ in }

  static let parser = SiteParser(publicSuffixList: .builtIn())

  /// Of everything that can be asked for.
  init(_ url: String = "https://ads.example") throws {
    certificate = try TestCertificate.pem()
    options = CheckOptions(
      endpoint: try Self.parser.url(url), nonces: .receiver(.init(url: "https://ads.example/admin/")),
      pixel: try Self.parser.url("https://ads.example/pixel"))
  }

  func run(at now: Instant = TestCertificate.now) async throws -> CheckReport {
    let endpoint = try GoodEndpoint(certificate: certificate, change: change)
    return try await EndpointChecker(options: options, parser: Self.parser, prober: endpoint).run(at: now)
  }

  /// The requests in the course of it.
  func requests() async throws -> [ProbeRequest] {
    let endpoint = try GoodEndpoint(certificate: certificate, change: change)
    _ = try await EndpointChecker(options: options, parser: Self.parser, prober: endpoint).run(at: TestCertificate.now)
    return await endpoint.log.requests
  }
}

extension CheckReport {
  var failed: [String] {
    findings.compactMap { finding in if case .failed = finding.verdict { finding.rule.id } else { nil } }
  }

  func verdict(of id: String) -> Verdict? { findings.first { $0.rule.id == id }?.verdict }

  var failures: String {
    findings.compactMap { finding in
      guard case .failed(let what) = finding.verdict else { return nil }
      return "\(finding.rule.id): \(what)"
    }.joined(separator: "\n")
  }
}

extension ProbeRequest {
  var path: String { String(request.url.dropFirst("https://".count).drop { $0 != "/" }) }
  var isReport: Bool { path.hasSuffix("/report-attribution/") || path.hasSuffix("/report-attribution") }
  var isKey: Bool { path.hasSuffix("/get-token-public-key/") }
  var isSign: Bool { path.hasSuffix("/sign-unlinkable-token/") }
  var isPixel: Bool { path == "/pixel" }
  var text: String { String(decoding: request.body ?? [], as: UTF8.self) }

  var isHandshake: Bool { terms.endsWithHandshake }
  /// Whether no endpoint serves the path.
  var isUnrelated: Bool { path.hasSuffix(CheckOptions.unrelatedName) }

  subscript(name: String) -> String? { request.headers.first { $0.name == name }?.value }
}
