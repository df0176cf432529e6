import PCMCore
import PCMNetwork

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
    let text = first.isEmpty ? Self.line(markup.text(of: "body") ?? markup.textWithoutTitle) : first
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
  /// Each text, and the tag after it in lower case without attributes: `p` or `/p`; empty at the end of the page.
  private var pieces: [(text: String, tag: String)] = []

  /// Whether the page has elements.
  var hasElements: Bool { pieces.count > 1 }

  /// Whether the text begins as an HTML document, for responses without its media type.
  let isDocument: Bool

  init(_ source: String) {
    let start = source.drop(while: \.isWhitespace).prefix(64).lowercased()
    isDocument = ["<!doctype html", "<html"].contains { start.hasPrefix($0) }
    var (rest, text) = (source[...], "")
    while let open = rest.firstIndex(of: "<") {
      text += rest[..<open]
      rest = rest[rest.index(after: open)...]
      guard !rest.hasPrefix("!--") else {
        rest = rest.firstRange(of: "-->").map { rest[$0.upperBound...] } ?? ""
        continue
      }
      guard let first = rest.first, first.isLetter || "/!?".contains(first) else {
        text += "<"
        continue
      }
      let name = rest.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }.lowercased()
      rest = rest.firstIndex(of: ">").map { rest[rest.index(after: $0)...] } ?? ""
      guard !name.isEmpty else { continue }
      pieces.append((text, first == "/" ? "/" + name : name))
      text = ""
      // The content of these elements is not text.
      if first != "/", ["script", "style", "svg", "template"].contains(name) { rest = Self.afterContent(of: name, in: rest) }
    }
    pieces.append((text + rest, ""))
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

  /// The beginnings of blocks, which also end a paragraph whose end is omitted.
  private static let blocks = ["p", "div", "ul", "ol", "hr", "form", "table", "pre"]

  /// Returns the text of the first element of a name that has any; nil when there is none.
  func text(of element: String) -> String? {
    var (text, isInside, isBlank) = ("", false, true)
    let endTag = "/" + element
    for (part, tag) in pieces {
      if isInside {
        text += part
        isBlank = isBlank && part.allSatisfy(\.isWhitespace)
        if !isBlank, tag == endTag || element == "p" && Self.blocks.contains(tag) { break }
        if tag != element { text += " " }
      }
      isInside = (isInside || tag == element) && tag != endTag
    }
    return isBlank ? nil : Self.decoded(text)
  }

  /// The text of the whole page without its title.
  var textWithoutTitle: String {
    var (text, isTitle) = ("", false)
    for (part, tag) in pieces {
      if !isTitle { text += part + " " }
      isTitle = (isTitle || tag == "title") && tag != "/title"
    }
    return Self.decoded(text)
  }

  private static func decoded(_ text: String) -> String { HTMLEscapes.removed(from: text) ?? text }
}
