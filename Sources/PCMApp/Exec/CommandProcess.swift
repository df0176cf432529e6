import CProcess
import Foundation

/// A child process in the foreground, with the standard streams of this process.
struct CommandProcess {
  /// The program, as the user named it, with its arguments.
  let words: [String]
  /// The descriptors that were open when this process started. The program inherits them, as for a shell's `<(…)`.
  private let inherited: Set<Int32>

  /// Holds the signals that end a process for the command. Call it before the process opens files and starts threads.
  init(words: [String]) {
    self.words = words
    inherited = Self.openDescriptors()
    pcm_command_hold_signals()
  }

  /// Runs the command and returns its status, as a shell does.
  ///
  /// - Parameter changes: The variables to set; nil removes one.
  /// - Throws: ``CommandError`` for a program that cannot be started.
  func run(_ changes: [String: String?]) async throws -> Int32 {
    Self.closeOnStart(except: inherited)
    var environment = Environment.variables
    for (name, value) in changes { environment[name] = value }
    let lines = environment.map { "\($0)=\($1)" }
    let words = words
    let result: (status: Int32, error: Int32) = await withCheckedContinuation { continuation in
      // A thread that lasts as long as the command: the system ends the command with the thread that started it.
      Thread.detachNewThread {
        var error: Int32 = 0
        let (arguments, variables) = (Self.pointers(words), Self.pointers(lines))
        let status = pcm_command_run(arguments, variables, &error)
        for text in arguments + variables { free(text) }
        continuation.resume(returning: (status, error))
      }
    }
    guard result.status >= 0 else { throw CommandError(words: words, code: result.error) }
    return result.status
  }

  /// Keeps the open descriptors from programs that start later. A program may have the standard streams.
  static func closeOnStart(except inherited: Set<Int32>) {
    for descriptor in openDescriptors() where !inherited.contains(descriptor) && descriptor > STDERR_FILENO {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
  }

  private static func openDescriptors() -> Set<Int32> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
    // The descriptor that read the folder is closed.
    return Set(names.compactMap { Int32($0) }.filter { fcntl($0, F_GETFD) >= 0 })
  }

  /// Copies texts for C, with a null pointer at the end.
  static func pointers(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] { texts.map { strdup($0) } + [nil] }
}

/// A command that cannot be started.
struct CommandError: Error, Hashable, CustomStringConvertible {
  let words: [String]
  /// The system's error.
  let code: Int32

  /// The status that a shell returns.
  var status: Int32 { code == ENOENT ? 127 : 126 }

  var description: String {
    let name = words.first ?? ""
    if code == ENOENT, words.count == 1, name.contains(" ") {
      let apart = "pcm-browser exec -- \(name)"
      return "command not found: \"\(name)\". It is one word. Write its words apart, as in \(apart), or use sh -c '\(name)'."
    }
    guard code != ENOENT || TextFile.exists(name) && name.contains("/") else { return "command not found: \(name)" }
    guard code != ENOENT else { return "cannot run \(name): the interpreter in its first line was not found" }
    if code == EACCES {
      let remedy = FolderFiles.isFolder(name) ? "it is a folder" : "it is not executable; use chmod +x"
      return "cannot run \(name): \(remedy)"
    }
    return "cannot run \(name): \(String(cString: strerror(code)))"
  }
}
