import PCMCore
import PCMNetwork

/// The remedies for refusals.
extension Refusal {
  func fix(_ context: CheckContext, _ exchange: ProbeExchange) -> String {
    let (many, sender) = context.isAboutReports ? ("reports", "browsers") : ("postbacks", "devices")
    switch cause {
    case .botProtection:
      return
        "Exempt the path from bot protection, with a rule for exactly this path in the firewall or content delivery network: "
        + "\(sender) send \(many) without JavaScript and cookies, so they pass no challenge."
    case .forgeryProtection:
      return "Exempt the path from the protection against cross-site request forgery (Django: @csrf_exempt; Rails: "
        + "skip_forgery_protection; Laravel: validateCsrfTokens(except:); Express: mount the route before the middleware): "
        + "\(sender) send no cookies and no CSRF token."
    case .authentication:
      return "Require no authentication at the path: \(sender) send \(many) without credentials, API keys, and cookies. "
        + (context.isAboutReports
          ? "To detect forged reports, use tokens." : "To detect forged postbacks, verify Apple's signature.")
    case .missingRoute:
      return
        "Add a route for POST \(context.options.requestPath) to the gateway, with exactly this path, and deploy it: the gateway answers "
        + "so when no route matches. API Gateway also does when the route requires IAM, or when the stage is missing in the path: map "
        + "the domain to the stage."
    case .clientCertificate:
      return "Require no client certificate at the path: \(sender) present none."
    case .hostName:
      return "Add \(context.host) to the host names that the server or framework accepts (Django: ALLOWED_HOSTS; Rails: "
        + "config.hosts; Vite: server.allowedHosts)."
    case .method:
      return
        "Accept POST at the path, also in the content delivery network or proxy before the endpoint: by default, many forward "
        + "only GET and HEAD."
    case .signature:
      return context.isAboutReports
        ? "Require no signature of the request: browsers do not sign reports. Tokens are optional."
        : "Verify the postback as it arrived, with Apple's key for its version or kid: pcm-browser verify shows the signed text. Return "
          + "200 also for a postback that you do not count."
    case .mediaType:
      return "Accept Content-Type: application/json without a charset, which is what \(sender) send."
    case .acceptHeader: return "Accept requests with Accept: */*, which is what \(sender) send."
    case .rateLimit: return rateFix(exchange, many, sender)
    case .address:
      return "Exempt the path from lists of addresses and countries: \(sender) send \(many) from the networks of their users."
    case .origin: return "Require neither Origin nor Referer at the path: \(sender) send \(many) without them."
    case .userAgent: return RequestVariant.userAgentFix
    case .size: return "Accept bodies of up to 4 KiB and the usual headers: \(many) with all members have fewer than two."
    case .validation: return validationFix(context, isExplained: !exchange.exchange.body.isEmpty)
    case .prohibition:
      return
        "Find out what returns 403: authentication, protection against request forgery, bot protection, a list of addresses, "
        + "or the endpoint itself. Exempt the path: \(sender) send \(many) without credentials and cookies."
        + (context.isAboutReports ? " " + Self.values : "")
    case .exception:
      return "Find the error of this request in the server's log, and return \(context.isAboutReports ? "2xx" : "200") for it: "
        + "the request is valid."
    case .gateway:
      return "Start the application behind the proxy, and check the proxy's address and timeout for it: "
        + "\(exchange.httpStatus ?? 503) is the status of a proxy without a response from the application"
        + (exchange.httpStatus == 503 ? ", or of a server under maintenance or load." : ".")
    }
  }

  private func rateFix(_ exchange: ProbeExchange, _ many: String, _ sender: String) -> String {
    let wait =
      exchange.header("retry-after").map { " This response asks for a pause (Retry-After: \(Redaction.shown($0)))." } ?? ""
    return
      "Do not limit the rate of \(many) by address: \(sender) share addresses, and \(sender == "browsers" ? "never send a report again" : "repeat a postback at most nine times").\(wait)"
  }

  private func validationFix(_ context: CheckContext, isExplained: Bool) -> String {
    let place = isExplained ? "The response states" : "Find out in the endpoint's log"
    return context.isAboutReports
      ? "\(place) what the endpoint finds invalid; the report is valid. Accept its members with these types, unknown members, and "
        + "no tokens. \(Self.values)"
      : "\(place) what the endpoint finds invalid; the postback is valid. Return 200 for every postback whose signature verifies, "
        + "also for unknown campaigns and apps."
  }

  /// For endpoints that accept only their own campaigns or shops.
  static let values =
    "If you accept only some campaigns or shops, specify one with --source-id, --trigger-data, --destination, or --source-site."
}
