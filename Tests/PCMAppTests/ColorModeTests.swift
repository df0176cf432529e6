import Testing

@testable import PCMApp

@Suite struct ColorModeTests {
  @Test(
    arguments: [
      (.auto, true, [:], true), (.auto, false, [:], false), (.auto, true, ["NO_COLOR": "1"], false),
      (.auto, true, ["NO_COLOR": ""], true), (.auto, true, ["TERM": "dumb"], false),
      (.auto, false, ["CLICOLOR_FORCE": "1"], true), (.auto, false, ["CLICOLOR_FORCE": "0"], false),
      (.auto, true, ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], false), (.always, false, ["NO_COLOR": "1"], true),
      (.never, true, ["CLICOLOR_FORCE": "1"], false),
    ] as [(ColorMode, Bool, [String: String], Bool)])
  func theOptionHasPrecedenceOverVariablesAndTheTerminal(
    _ mode: ColorMode, _ isTerminal: Bool, _ variables: [String: String], _ isColored: Bool
  ) {
    #expect(mode.isColored(isTerminal: isTerminal, variables: variables) == isColored)
  }
}
