import PCMNetwork

extension Sent {
  /// Returns whether both responses have the same status and text, apart from the paths of the requests, times, and
  /// identifiers.
  func isLike(_ other: Sent) -> Bool {
    exchange.httpStatus == other.exchange.httpStatus && exchange.mediaType == other.exchange.mediaType
      && (exchange.body == other.exchange.body || !words.isEmpty && words == other.words)
  }

  /// The words of the body that do not depend on the request.
  private var words: [Substring] {
    let text = String(decoding: exchange.body.prefix(16_384), as: UTF8.self).replacing("\\/", with: "/")
      .replacing(CheckOptions.path(of: request.url), with: "")
      .replacing(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?/, with: "")
    return text.split { !$0.isLetter && !$0.isNumber }.filter { $0.utf8.count < 6 || !$0.contains(where: \.isNumber) }
  }
}

extension CheckContext {
  /// The accepted response of an unrelated path with the same text as the first response, or a page if both are pages; nil if
  /// there is none. An empty object has no text.
  var responseForAll: Sent? {
    guard let sent = firstSent, sent.exchange.isAccepted else { return nil }
    if PageText(sent.exchange) != nil {
      return observations[.unrelatedPaths].first { $0.exchange.isAccepted && PageText($0.exchange) != nil }
    }
    let says = String(decoding: sent.exchange.body, as: UTF8.self).contains { $0.isLetter || $0.isNumber }
    return observations[.unrelatedPaths].first.flatMap { says && $0.isLike(sent) ? $0 : nil }
  }

  /// Whether the first report received the same response as the key request.
  var isFirstLikeKey: Bool {
    guard let sent = firstSent, let key = observations[.key].first else { return false }
    return key.isLike(sent)
  }
}
