/// A token that callers must send: the value of an option, the first line of a file, or the value of an environment variable.
struct AccessToken {
  let text: String?
  /// The option or variable.
  private let argument: String

  init(option: String, _ given: String?, variable: String, _ environment: String?) {
    text = given ?? environment
    argument = given == nil ? variable : option
  }

  /// Reads the token in the first line of a file, without the white space around it.
  ///
  /// - Parameter option: The option with the path.
  init(option: String, file: String) throws {
    let bytes: [UInt8]
    do throws(StartError) {
      bytes = try TextFile.bytes(of: file, upTo: Self.fileLimit)
    } catch {
      throw ArgumentError(option, file, expected: "a file with the token in its first line", "\(error.description).")
    }
    let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    let start = line.drop { $0.isWhitespace }
    guard let end = start.lastIndex(where: { !$0.isWhitespace }) else {
      throw ArgumentError(option, file, expected: "a file with the token in its first line", "The line is blank.")
    }
    text = String(start[...end])
    argument = option
  }

  /// The part of a file that is read. Its first line is shorter than a request's head.
  private static let fileLimit = 32_768

  /// Throws for a token that callers cannot send. The message does not repeat the token, unless it is blank.
  func validate() throws {
    guard let text else { return }
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw ArgumentError(argument, text, expected: "a token that is not blank")
    }
    guard text.first?.isWhitespace != true, text.last?.isWhitespace != true, text.allSatisfy(\.isSendable) else {
      throw ArgumentError(
        argument, nil, expected: "a token of printable ASCII characters, without spaces around it")
    }
  }
}

extension Character {
  /// Whether a header can contain the token unchanged.
  fileprivate var isSendable: Bool { asciiValue.map { (0x20...0x7E).contains($0) } ?? false }
}
