import PCMNetwork

/// A web server's rule that refuses every path with a component that begins with a dot, such as the well-known paths.
struct DotRule {
  /// The requests to a path with a dot, and to a path without a dot.
  let evidence: [Sent]
  /// The account, as the end of a clause about the refused message.
  let account: String

  /// Returns nil unless a path with a dot received the response of the refused report or postback, and a path without a dot
  /// received another response.
  init?(_ context: CheckContext, _ sent: Sent) {
    guard let dotted = context.observations[.dotPath].first, let plain = context.observations[.unrelatedPaths].first,
      sent.exchange.isRejected, dotted.isLike(sent), !plain.isLike(dotted)
    else { return nil }
    evidence = [dotted, plain]
    account =
      "; \(CheckOptions.path(of: dotted.request.url)) \(dotted.exchange.account), too, and without the dot "
      + plain.exchange.account.replacing("received ", with: "")
  }

  /// The remedy, with the rules from common configurations of nginx and Apache.
  static let fix =
    "Exempt /.well-known/ from the rule of the web server that refuses every path with a dot. In nginx, write location ~ "
    + #"/\.(?!well-known/) in place of location ~ /\., or add location ^~ /.well-known/. In Apache, write RedirectMatch 404 "#
    + #"/\.(?!well-known/), or RewriteCond %{REQUEST_URI} !^/\.well-known/ before the RewriteRule."#

  /// The hint for responses that neither confirm nor exclude such a rule.
  static let hint =
    "If you do, look for a rule of the web server that refuses paths with a dot (a location of nginx, or a RedirectMatch of Apache)."
}
