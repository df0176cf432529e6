/// Why a file is not a valid app manifest.
package enum ManifestError: Error, Hashable, Sendable {
  case tooLarge(limit: Int)
  case notAPropertyList(Flaw)
  case malformedXML(XMLProblem)
  /// A file of another kind.
  case otherFile(FileKind)
  /// Too many levels of arrays and dictionaries, including the outermost.
  case tooDeep(limit: Int)
  /// An internal subset of the DOCTYPE, a declaration, or a named entity other than the five of XML.
  case entitiesNotAllowed
  /// A binary property list in which an array or dictionary contains itself.
  case cyclicReferences
  /// A binary property list whose repeated references result in more values than the limit.
  case expandsTooFar(limit: Int)
  /// A binary property list whose repeated references result in more bytes of strings and data than the limit.
  case expandsToTooManyBytes(limit: Int)
  /// A binary property list with a key that occurs more than once. Foundation's parsers take different values.
  case duplicateKey(String)
  case notADictionary
  case missingBundleIdentifier
  case badBundleIdentifier(BundleIdentifierError)
  /// A build setting `$(…)` that Xcode replaces when it builds the app.
  case unresolvedBuildSetting(key: String)
  case wrongType(key: String, expected: String)

  /// The fault of a file, as a clause.
  package enum Flaw: String, Hashable, Sendable {
    case empty = "it is empty"
    case html = "it is an HTML page"
    case json = "it is JSON"
    case oldStyleText = "it is an old-style text property list; convert it with plutil -convert xml1"
    /// Text or bytes of an unknown format.
    case otherContent = "it begins with neither \"<\" nor \"bplist00\""
    /// XML whose outermost element is not `plist`.
    case otherXML = "its outermost element is not plist"
    /// Neither UTF-8 nor UTF-16, or a different encoding than declared.
    case encoding = "its text is neither UTF-8 nor UTF-16, or not in the declared encoding"
    /// Bytes of zero, as in UTF-16 without a byte order mark.
    case utf16WithoutMark = "it contains U+0000, as UTF-16 without a byte order mark does; convert it to UTF-8"
    /// A string of a binary property list that XML cannot contain.
    case containsNUL = "a key or a string contains U+0000"
    /// A key `$null`, the null of keyed archives. Foundation's decoder opens no dictionary with it.
    case containsNullKey = "the key $null belongs to keyed archives; remove it"
    case truncated = "it is truncated"
    case malformed = "its structure is invalid"
  }

  package enum BundleIdentifierError: Hashable, Sendable {
    case tooLong(limit: Int)
    case characters
    /// A space or a line break at the start or end.
    case padded
  }

  /// Whether the file is a manifest that only lacks its bundle identifier.
  package var isUnnamed: Bool {
    switch self {
    case .missingBundleIdentifier, .unresolvedBuildSetting: true
    default: false
    }
  }

  /// A description for people: the problem and the remedy.
  package var detail: String {
    switch self {
    case .tooLarge(let limit): "The file is larger than \(limit) bytes; an Info.plist has a few thousand."
    case .notAPropertyList(let flaw): "The file is not a property list in XML or binary format: \(flaw.rawValue)."
    case .malformedXML(let problem): problem.detail
    case .otherFile(let kind): kind.detail
    case .tooDeep(let limit): "The property list is nested more than \(limit) levels."
    case .entitiesNotAllowed: "The XML declares or uses custom entities, which property lists do not allow."
    case .cyclicReferences: "The binary property list contains itself."
    case .expandsTooFar(let limit): "The binary property list represents more than \(limit) values."
    case .expandsToTooManyBytes(let limit):
      "The binary property list represents more than \(limit) bytes of strings and data."
    case .duplicateKey(let key):
      "\(key) occurs more than once in the binary property list. Remove one, or convert the file with plutil -convert xml1."
    case .notADictionary: "The property list is not a dictionary, so it is not an Info.plist."
    case .missingBundleIdentifier: "CFBundleIdentifier is missing or blank. Pass the Info.plist of the built app."
    case .badBundleIdentifier(.tooLong(let limit)): "CFBundleIdentifier has more than \(limit) bytes. Shorten it."
    case .badBundleIdentifier(.characters):
      "CFBundleIdentifier has characters other than letters, digits, hyphens, periods, and underscores. Replace them."
    case .badBundleIdentifier(.padded): "CFBundleIdentifier begins or ends with a space or a line break. Remove it."
    case .unresolvedBuildSetting(let key):
      "\(key) is a build setting that Xcode fills in. Pass the Info.plist of the built app (MyApp.app/Info.plist), not the "
        + "one in the sources."
    case .wrongType(let key, let expected): "\(key) must be \(expected)."
    }
  }
}
