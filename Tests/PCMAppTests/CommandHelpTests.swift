import ArgumentParser
import Testing

@testable import PCMApp

/// The texts of `--help`, and the text after the error about an unknown command.
@Suite struct CommandHelpTests {
  private static let commands: [any ParsableCommand.Type] = all(below: PCMBrowserCommand.self)

  private static func all(below command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    [command] + command.configuration.subcommands.flatMap(all)
  }

  @Test("A terminal of 80 columns wraps only paragraphs that are not wrapped already")
  func wrapping() {
    #expect(Self.commands.count > 12)
    for command in Self.commands {
      let lines = "\n\(command.configuration.discussion)\n".split(separator: "\n", omittingEmptySubsequences: false)
      for index in lines.indices where lines[index].count > 80 {
        let isParagraph = lines[index - 1].isEmpty && lines[index + 1].isEmpty && !lines[index].hasPrefix(" ")
        #expect(isParagraph, "\(command): \(lines[index])")
      }
    }
  }

  @Test(
    "A misspelled command has a suggestion",
    arguments: [
      (["chek", "https://ads.example"], "Did you mean pcm-browser check?"), (["Sevre"], "Did you mean pcm-browser serve?"),
      (["store", "cpoy", "a", "b"], "Did you mean pcm-browser store copy?"), (["bogus"], nil), (["check"], nil), ([], nil),
      (["--hepl"], nil), (["check", "chek"], nil),
    ])
  func suggestion(_ arguments: [String], _ text: String?) {
    #expect(PCMBrowserCommand.suggestion(for: arguments) == text)
  }
}
