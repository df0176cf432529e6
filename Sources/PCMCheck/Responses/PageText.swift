import PCMCore
import PCMDelivery

/// The text of an HTML page: its title and its first paragraph, without markup.
struct PageText: Hashable, Sendable {
  let title: String
  /// The first paragraph; without one, the beginning of the page's text after its title.
  let paragraph: String

  /// The maximum number of characters of each text.
  private static let limit = 300
  /// The maximum number of bytes of a page that are read.
  private static let readBytes = 65_536

  /// Reads a response.
  ///
  /// - Returns: nil for a response that is not an HTML page. A media type alone is not sufficient, because many servers label
  ///   every response as HTML.
  init?(_ exchange: ProbeExchange) {
    let markup = Markup(String(decoding: exchange.body.prefix(Self.readBytes), as: UTF8.self))
    switch exchange.mediaType {
    case _ where exchange.isLabeledAsHTML:
      guard markup.hasElements, JSONResponse.object(of: exchange) == nil else { return nil }
    case "", "text/plain", "application/octet-stream": guard markup.isDocument else { return nil }
    default: return nil
    }
    self.init(markup)
  }

  private init(_ markup: Markup) {
    title = Self.line(markup.text(of: "title") ?? "")
    let first = Self.line(markup.text(of: "p") ?? "")
    let text = first.isEmpty ? Self.line(markup.text(of: "body") ?? markup.text(withoutTitle: true)) : first
    // A heading often repeats the title.
    paragraph = text.hasPrefix(title) ? String(text.dropFirst(title.count).drop { $0 == " " }) : text
  }

  /// The title and the paragraph, each on its own line.
  var lines: String { [title, paragraph].filter { !$0.isEmpty }.joined(separator: "\n") }

  /// Returns the text with single spaces, up to the limit.
  private static func line(_ text: String) -> String {
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return words.count > limit ? String(words.prefix(limit)) + "…" : words
  }
}

extension ProbeExchange {
  /// The media type in lower case, without parameters; empty without one.
  var mediaType: String { (exchange.contentType ?? "").prefix { $0 != ";" && $0 != " " }.lowercased() }

  var isLabeledAsHTML: Bool { ["text/html", "application/xhtml+xml"].contains(mediaType) }
}

/// The markup of a page, read leniently: only text is taken from it.
private struct Markup {
  private let pieces: [Piece]

  private enum Piece {
    case text(Substring)
    /// The name of an element in lower case.
    case start(String)
    case end(String)
  }

  /// Whether the page has elements.
  var hasElements: Bool { pieces.contains { if case .text = $0 { false } else { true } } }

  /// Whether the text begins as an HTML document, for responses without its media type.
  let isDocument: Bool

  init(_ source: String) {
    let start = source.drop(while: \.isWhitespace).prefix(64).lowercased()
    isDocument = ["<!doctype html", "<html"].contains { start.hasPrefix($0) }
    pieces = Self.pieces(source[...])
  }

  private static func pieces(_ source: Substring) -> [Piece] {
    var (rest, pieces): (Substring, [Piece]) = (source, [])
    while let open = rest.firstIndex(of: "<") {
      if open > rest.startIndex { pieces.append(.text(rest[..<open])) }
      rest = rest[rest.index(after: open)...]
      guard !rest.hasPrefix("!--") else {
        rest = rest.firstRange(of: "-->").map { rest[$0.upperBound...] } ?? ""
        continue
      }
      guard let first = rest.first, first.isLetter || first == "/" || first == "!" || first == "?" else {
        pieces.append(.text("<"))
        continue
      }
      let name = rest.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }.lowercased()
      let isEnd = first == "/"
      rest = rest.firstIndex(of: ">").map { rest[rest.index(after: $0)...] } ?? ""
      if !name.isEmpty { pieces.append(isEnd ? .end(name) : .start(name)) }
      // The content of these elements is not text.
      if !isEnd, ["script", "style", "svg", "template"].contains(name) {
        rest = afterContent(of: name, in: rest)
      }
    }
    return rest.isEmpty ? pieces : pieces + [.text(rest)]
  }

  /// Returns the text from the end tag of an element on, in any case.
  private static func afterContent(of name: String, in text: Substring) -> Substring {
    var rest = text
    while let end = rest.firstRange(of: "</") {
      if rest[end.upperBound...].prefix(name.count).lowercased() == name { return rest[end.lowerBound...] }
      rest = rest[end.upperBound...]
    }
    return ""
  }

  /// Returns the text of the first element of a name that has any; nil when there is none.
  func text(of element: String) -> String? {
    var (text, isInside, isBlank) = ("", false, true)
    for piece in pieces {
      if isInside, !isBlank, ends(element, piece) { break }
      switch piece {
      case .start(element): isInside = true
      case .end(element): isInside = false
      case .start, .end: if isInside, text.utf8.last != UInt8(ascii: " ") { text += " " }
      case .text(let part):
        guard isInside else { continue }
        text += part
        isBlank = isBlank && part.allSatisfy(\.isWhitespace)
      }
    }
    return isBlank ? nil : Self.decoded(text)
  }

  /// Whether a piece ends an element. A block also ends a paragraph whose end is omitted.
  private func ends(_ element: String, _ piece: Piece) -> Bool {
    switch piece {
    case .end(element): true
    case .start(let name): element == "p" && ["p", "div", "ul", "ol", "hr", "form", "table", "pre"].contains(name)
    case .end, .text: false
    }
  }

  /// Returns the text of the whole page.
  func text(withoutTitle: Bool) -> String {
    var (text, isTitle) = ("", false)
    for piece in pieces {
      switch piece {
      case .start("title"): isTitle = withoutTitle
      case .end("title"): isTitle = false
      case .text(let part): text += isTitle ? "" : part
      default: text += " "
      }
    }
    return Self.decoded(text)
  }

  private static func decoded(_ text: String) -> String { HTMLEscapes.removed(from: text) ?? text }
}
