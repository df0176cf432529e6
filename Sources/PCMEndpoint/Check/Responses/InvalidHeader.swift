import PCMNetwork

/// A response header that HTTP/2 forbids, which a proxy forwarded from an HTTP/1.1 server.
enum InvalidHeader {
  /// The headers that are specific to a connection (RFC 9113, section 8.2.2).
  private static let forbidden = ["Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade"]

  /// Returns whether a header may be the cause of a failure. libcurl ends the stream with PROTOCOL_ERROR; later versions name
  /// the header.
  static func mayExplain(_ exchange: ProbeExchange) -> Bool {
    guard let detail = exchange.failure?.detail else { return false }
    return detail.contains("PROTOCOL_ERROR") || detail.contains("Invalid HTTP header")
  }

  /// Returns the result over HTTP/1.1, as the end of a clause, and the remedy; nil if HTTP/1.1 also failed.
  static func finding(_ context: CheckContext, _ sent: Sent) -> (account: String, fix: String)? {
    guard mayExplain(sent.exchange), let other = context.observations.first(.firstOverHTTP1), context.accepts(other)
    else { return nil }
    let message = context.isAboutReports ? "report" : "postback"
    let named = sent.exchange.failure?.detail.firstMatch(of: /name: \[([^\]]*)\]/).map {
      " The header is \(Redaction.shown(String($0.output.1)))."
    }
    let names = other.headers.flatMap { header in
      [header.name]
        + (header.name.lowercased() == "connection" ? header.value.split { ", ".contains($0) }.map(String.init) : [])
    }
    let present = forbidden.filter { name in names.contains { $0.lowercased() == name.lowercased() } }
    let shown = present.isEmpty ? "" : " The HTTP/1.1 response names \(present.joined(separator: ", "))."
    return (
      "; over HTTP/1.1, the same \(message) \(other.account)",
      "Remove the header that HTTP/2 forbids from the response: \(forbidden.joined(separator: ", ")), or a name in upper case "
        + "(RFC 9113, section 8.2).\(named ?? shown) A proxy must not pass it on from the server behind it (nginx: "
        + "proxy_hide_header; Apache: Header unset). HTTP/1.1 accepted the \(message), and browsers use HTTP/2."
    )
  }
}
