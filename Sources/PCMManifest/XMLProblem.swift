/// A fault at a place of an XML property list.
package struct XMLProblem: Hashable, Sendable {
  /// The line, from 1.
  package let line: Int
  /// The number of the character in the line, from 1; nil when only the line is known.
  package let column: Int?
  package let cause: Cause

  package init(line: Int, column: Int?, _ cause: Cause) {
    self.line = line
    self.column = column
    self.cause = cause
  }

  package enum Cause: Hashable, Sendable {
    /// A value that a preprocessor cut at the `//` of a URL.
    case cutAtSlashes(scheme: String)
    /// A line that is meant for the preprocessor, by its first word.
    case directive(String)
    case mergeConflict
    /// Text where a property list has only elements.
    case text(String)
    /// A tag inside an element that contains only text.
    case tagInText(tag: String, element: String, openedAt: Int)
    case wrongClosingTag(found: String, element: String, openedAt: Int)
    case closingTagWithoutElement(String)
    case unknownElement(String)
    case valueWithoutKey(element: String)
    case keyWithoutValue(String)
    /// An `&` that begins no reference.
    case ampersand
    case unknownEntity(String)
    case invalidCharacterReference(String)
    case invalidValue(String, element: String)
    case contentAfterEnd
    /// The file ends inside an element, a comment, or a tag.
    case endOfFile(inside: String)
    case markup
    /// A rejection by Foundation without a known cause.
    case rejected
  }

  /// The place and the problem, with the remedy.
  var detail: String { "\(place): \(cause.detail)." }

  private var place: String { column.map { "Line \(line), column \($0)" } ?? "Line \(line)" }
}

extension XMLProblem.Cause {
  fileprivate var detail: String {
    switch self {
    case .cutAtSlashes(let scheme):
      "the value ends after \(scheme):, because the C preprocessor takes // for the beginning of a comment. Add -traditional to "
        + "the build setting INFOPLIST_OTHER_PREPROCESSOR_FLAGS, build the app, and pass its Info.plist (MyApp.app/Info.plist)"
    case .directive(let word):
      "\(word) is a line for the C preprocessor, which Xcode runs when it builds the app (the build setting INFOPLIST_PREPROCESS). "
        + "Pass the Info.plist of the built app (MyApp.app/Info.plist)"
    case .mergeConflict: "this is a mark of a merge conflict. Resolve the conflict"
    case .text(let text): "the text \(text) is outside of an element. Remove it, or write it as the value of a key"
    case .tagInText(let tag, let element, let line):
      "<\(tag)> is inside <\(element)>, which begins in line \(line) and contains only text. Add </\(element)> before it"
    case .wrongClosingTag(let found, let element, let line):
      "</\(found)> closes <\(element)>, which begins in line \(line). Write </\(element)>"
    case .closingTagWithoutElement(let found): "</\(found)> closes no element. Remove it"
    case .unknownElement(let name):
      "<\(name)> is not an element of property lists: dict, array, key, string, integer, real, true, false, date, data"
    case .valueWithoutKey(let element): "<\(element)> has no key before it. Add a key"
    case .keyWithoutValue(let key): "the key \(key) has no value. Add one"
    case .ampersand: "an & in a value is written as &amp;. Replace it"
    case .unknownEntity(let name): "&\(name); is not an entity of property lists. Write the character itself"
    case .invalidCharacterReference(let name): "&\(name); is not a character. Write the character itself"
    case .invalidValue(let text, let element): "\(text) is not a valid <\(element)>"
    case .contentAfterEnd: "the property list ends before this place. Remove what follows </plist>"
    case .endOfFile(let name): "the file ends inside \(name). It is truncated"
    case .markup: "the markup is invalid"
    case .rejected: "the value is invalid"
    }
  }
}
