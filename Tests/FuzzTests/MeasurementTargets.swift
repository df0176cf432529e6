import PCMCore
import PCMURL

extension FuzzTarget {
  /// The end of a trigger URL: data and priority are in range, and the strict form of a trigger is the same trigger.
  static let triggerURL = FuzzTarget("trigger-url") { bytes in
    guard let end = text(bytes) else { return false }
    guard let url = try? sites.url("https://news.example" + TriggerURL.pathPrefix + end), TriggerURL.isTrigger(url)
    else { return false }
    var evaluation = RuleEvaluation()
    let reading = parse(url, &evaluation)
    try checkWritten(evaluation)
    guard case .success(let read) = reading else {
      try check(evaluation.failed?.reason.detail.isEmpty == false, "a rejection has a reason")
      return false
    }
    try check(evaluation.failed == nil, "an accepted trigger violates no rule")
    try check(read.trigger.data <= 15 && read.trigger.priority <= 63, "the trigger is in range")
    let strict = try required("the strict form is a URL") { try sites.url(strictForm(of: read)) }
    guard case .success(let again) = parse(strict, &evaluation) else { throw BrokenProperty("the strict form is a trigger") }
    try checkEqual(again.trigger, read.trigger, "the strict form is the same trigger")
    try checkEqual(again.attributionSource, read.attributionSource, "the strict form has the same source")
    try checkEqual(again.destinationNonce, read.destinationNonce, "the strict form has the same nonce")
    try check(!again.isLenient, "the strict form is strict")
    return true
  }

  private static func parse(_ url: WebURL, _ evaluation: inout RuleEvaluation) -> Result<TriggerURL, Violation> {
    TriggerURL.parse(TriggerURL.Reading(url) { try? sites.url($0) }, &evaluation)
  }

  /// The trigger with two digits each for data and priority, and with both parameters encoded.
  private static func strictForm(of read: TriggerURL) -> String {
    let digits = { (number: UInt8) in (number < 10 ? "0" : "") + String(number) }
    // A scheme that is not special accepts the host of every scheme.
    let source = read.attributionSource.map { ("attributionSource", "app://\($0.domain)") }
    let nonce = read.destinationNonce.map { ("attributionDestinationNonce", $0) }
    let query = [source, nonce].compactMap { $0 }.map { "\($0.0)=\(PercentEncoding.component.encode($0.1))" }
    return "https://news.example\(TriggerURL.pathPrefix)\(digits(read.trigger.data))/\(digits(read.trigger.priority))"
      + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }

  /// The lines of the input: page, `attributionsourceid`, `attributiondestination`, `attributionsourcenonce`, `href`, and
  /// the landing URL. A stored click satisfies the rules, and private browsing stores the same click.
  static let linkAttributes = FuzzTarget("link-attributes") { bytes in
    guard let text = text(bytes) else { return false }
    let lines = text.split(separator: "\n", maxSplits: 5, omittingEmptySubsequences: false).map(String.init)
    let link = link(lines)
    var evaluation = RuleEvaluation()
    let decision = link.decide(MeasurementSettings(), at: .earliest, &evaluation)
    try checkWritten(evaluation)
    guard case .store(let click, let notes) = decision else {
      guard case .discard(let reason) = decision else { throw BrokenProperty("a click is stored or discarded") }
      try check(!reason.reason.detail.isEmpty && !reason.change.isEmpty, "a discarded click has a reason and a change")
      return false
    }
    try check(evaluation.failed == nil, "a stored click violates no rule")
    try checkEqual(Int(click.sourceID), attributeNumber(lines[1]), "the identifier is the number of the attribute")
    try check(click.key.source != click.key.destination, "a click leads to another site")
    try checkEqual(click.key.source, link.page?.site, "the source is the site of the page")
    try checkEqual(click.nonce == nil, !isNonce(lines.dropFirst(3).first ?? ""), "a click has a valid nonce or none")
    var other = RuleEvaluation()
    let privately = link.decide(MeasurementSettings(privateBrowsing: true), at: .earliest, &other)
    try checkEqual(privately, .storeEphemeral(click, notes), "private browsing decides alike")
    return true
  }

  private static func link(_ lines: [String]) -> LinkClick {
    func line(_ number: Int) -> String? { lines.indices.contains(number) ? lines[number] : nil }
    func url(_ number: Int) -> WebURL? { line(number).flatMap { try? sites.url($0) } }
    return LinkClick(
      LinkClickInput(
        pageURL: lines[0], attributionSourceID: line(1), attributionDestination: line(2), attributionSourceNonce: line(3)),
      page: url(0), destination: url(2), href: url(4), landing: url(5))
  }

  /// A second reading of the rules for non-negative integers (HTML Standard, section 2.3.4).
  private static func attributeNumber(_ text: String) -> Int? {
    let match = text.unicodeScalars.drop { "\t\n\u{C}\r ".unicodeScalars.contains($0) }
    let digits = match.drop { $0 == "-" || $0 == "+" }.prefix { ("0"..."9").contains($0) }
    return Int(String(digits))
  }

  /// 22 characters of base64url, which are 16 bytes, before any padding.
  private static func isNonce(_ text: String) -> Bool { text.wholeMatch(of: /[A-Za-z0-9_-]{22}=*/) != nil }

  /// The values that a decision read can be written to the log and read again.
  private static func checkWritten(_ evaluation: RuleEvaluation) throws {
    let inputs = JSON.object(evaluation.inputs)
    try checkEqual(JSON(parsing: inputs.bytes), inputs, "the inputs of a decision in the log")
  }
}
