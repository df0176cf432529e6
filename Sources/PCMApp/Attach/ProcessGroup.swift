import CProcess
import Foundation
import PCMCore

/// A child process in a separate process group.
struct ProcessGroup {
  let name: String
  private let number: pid_t
  /// The writing end of a pipe. The program ends when it is closed, as it is with this process.
  private let lifeline: Int32
  private let log: String

  /// Starts a program.
  ///
  /// - Parameter log: The file for its output.
  /// - Throws: ``StartError`` for a program that cannot be started.
  init(words: [String], log: String) throws {
    (name, self.log) = (words[0].visible, log)
    let output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw StartError(description: "cannot write \(log): \(String(cString: strerror(errno)))") }
    defer { close(output) }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw StartError(description: "cannot open a pipe: \(String(cString: strerror(errno)))") }
    defer { close(ends[0]) }
    CommandProcess.closeOnStart(except: [])
    let variables = CommandProcess.pointers(Environment.variables.map { "\($0)=\($1)" })
    let arguments = CommandProcess.pointers(words)
    defer { for text in arguments + variables { free(text) } }
    var error: Int32 = 0
    number = pcm_group_start(arguments, variables, output, ends[0], &error)
    lifeline = ends[1]
    guard number > 0 else {
      close(lifeline)
      throw StartError(description: "\(CommandError(words: words, code: error))")
    }
  }

  var hasEnded: Bool { pcm_group_has_ended(number) }

  /// The end of the program's output, for an error.
  var lastLines: String {
    let text = String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).suffix(5)
    return lines.isEmpty ? "" : ". Its output ends with:\n" + lines.map { "  \($0.visible)" }.joined(separator: "\n")
  }

  /// Closes the lifeline, and kills the remaining processes when the program has ended, or after 5 s, also in a canceled task. Call it
  /// once.
  func end() async {
    // After SIGTERM, Chromium leaves a folder.
    close(lifeline)
    await Task {
      let uptime = SystemTime.uptime()
      while !hasEnded, uptime() < .seconds(5) { try? await SystemTime.sleep(for: Interval(milliseconds: 10)) }
    }.value
    pcm_group_end(number)
  }
}
