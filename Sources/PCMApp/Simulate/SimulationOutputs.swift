import Foundation

/// The files of a simulation by their options. Each of them appears complete at the end, or not at all.
final class SimulationOutputs {
  private let files: [(option: String, file: ResultFile)]
  private let signals: [any DispatchSourceSignal]

  /// - Parameter outputs: At least one.
  init(_ outputs: [(option: String, path: String)]) throws {
    // A write to a pipe without a reader is an error, which ends the command as any other does.
    signal(SIGPIPE, SIG_IGN)
    files = try outputs.map { option, path in (option, try StartError.naming(option) { try ResultFile(path: path) }) }
    let drafts = files.compactMap(\.file.draft)
    signals = [SIGINT, SIGTERM].map { Self.end(by: $0, removing: drafts) }
  }

  deinit { for source in signals { source.cancel() } }

  var first: ResultFile { files[0].file }

  subscript(option: String) -> ResultFile? { files.first { $0.option == option }?.file }

  /// Gives all files their names.
  func commit() throws(StartError) {
    for (_, file) in files { try file.commit() }
  }

  /// Ends the process at a signal, also while its threads wait for input. Its status is the status that a shell gives to the signal.
  private static func end(by number: Int32, removing drafts: [String]) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler {
      for draft in drafts { unlink(draft) }
      if StandardError.isTerminal { StandardError.write("\n") }
      _exit(128 + number)
    }
    source.resume()
    return source
  }

  /// Returns the error about two options with the same file, or about an output that is the input; nil without one.
  static func error(in outputs: [(option: String, path: String)], input: String) -> String? {
    func place(_ path: String) -> String {
      path == "-" ? path : resolved(URL(fileURLWithPath: path).standardizedFileURL.path)
    }
    for (index, output) in outputs.enumerated() where !ResultFile.isSpecial(output.path) {
      if let other = outputs[..<index].first(where: { place($0.path) == place(output.path) }) {
        return "\(other.option) and \(output.option) name the same file; choose another one for either"
      }
      if input != "-", place(input) == place(output.path) {
        return "\(output.option) names the file of events; choose another one"
      }
    }
    return nil
  }
}
