/// A token that callers must send: the value of an option, or of an environment variable without the option.
struct AccessToken {
  let text: String?
  /// The option or variable.
  private let argument: String

  init(option: String, _ given: String?, variable: String, _ environment: String?) {
    text = given ?? environment
    argument = given == nil ? variable : option
  }

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
