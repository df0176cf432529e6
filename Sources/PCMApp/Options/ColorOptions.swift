import ArgumentParser

/// When output for people has colors.
enum ColorMode: String, ExpressibleByArgument, CaseIterable {
  case auto, always, never

  /// Whether to write colors. With `auto`, `NO_COLOR` (no-color.org) turns them off, `CLICOLOR_FORCE` turns them on, and
  /// otherwise, a terminal has them.
  func isColored(isTerminal: Bool, variables: [String: String]) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .auto:
      variables["NO_COLOR", default: ""].isEmpty
        && (!["", "0"].contains(variables["CLICOLOR_FORCE", default: ""]) || isTerminal && variables["TERM"] != "dumb")
    }
  }
}

/// The option of every command that prints a result for people.
struct ColorOptions: ParsableArguments {
  @Option(help: "Colors: auto writes them on a terminal, unless NO_COLOR is set, and elsewhere only with CLICOLOR_FORCE.")
  var color = ColorMode.auto

  /// The style of standard output.
  var style: TerminalStyle {
    TerminalStyle(
      isColored: color.isColored(isTerminal: StandardOutput.isTerminal, variables: Environment.variables))
  }
}
