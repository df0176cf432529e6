import Foundation
import Testing

/// `scripts/fuzz --minimize`, with a fuzzer that writes what a test needs.
@Suite("scripts/fuzz")
struct FuzzScriptTests {
  @Test(
    "a corpus is replaced by a smaller one only when that has inputs, and none breaks a property",
    arguments: [("good", true), ("none", false), ("bad", false), ("exit", false)])
  func minimize(outcome: String, isReplaced: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "pcm-fuzz-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let repository = try await Repository()
    for path in ["scripts/fuzz", "scripts/lib/steps"] { try Self.write(repository.file(path).text, to: folder, path) }
    for path in ["scripts/bootstrap", "bin/swift"] { try Self.write("#!/usr/bin/env bash\n", to: folder, path) }
    try Self.write(Self.fuzzer, to: folder, ".build/instrumented/debug/PCMFuzzer")
    // The bytes a, b, and none.
    let corpus = "\nYQ==\nYg==\n"
    try Self.write(corpus, to: folder, "Fixtures/fuzz/url.corpus")
    let path = "PATH=\(folder.path)/bin:\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    let run = try await runProgram(
      ["env", path, "OUTCOME=\(outcome)", "bash", "scripts/fuzz", "--minimize", "url"], in: folder)
    #expect(run.isSuccess == isReplaced, "\(run.output)")
    let corpora = folder.appending(path: "Fixtures/fuzz")
    #expect(try FileManager.default.contentsOfDirectory(atPath: corpora.path) == ["url.corpus"])
    let packed = try String(contentsOf: corpora.appending(path: "url.corpus"), encoding: .utf8)
    #expect(packed == (isReplaced ? "YWI=\neA==\n" : corpus), "\(run.output)")
    let inputs = folder.appending(path: ".build/fuzz-inputs/url")
    let unpacked = try ["1", "2", "3"].map { try String(contentsOf: inputs.appending(path: $0), encoding: .utf8) }
    #expect(unpacked == ["", "a", "b"])
  }

  /// A merge writes the files of its outcome to the first folder. The file `bad` breaks a property.
  private static let fuzzer = """
    #!/usr/bin/env bash
    set -euo pipefail
    isMerge=
    for argument; do
      case $argument in
        -set_cover_merge=1) isMerge=1 ;;
        -*) ;;
        *)
          if [ -z "$isMerge" ]; then
            [ "$(basename "$argument")" != bad ] || exit 77
          elif [ "$OUTCOME" = exit ]; then
            exit 77
          else
            [ "$OUTCOME" = none ] || { printf x >"$argument/$OUTCOME"; printf ab >"$argument/other"; }
            exit 0
          fi
          ;;
      esac
    done

    """

  private static func write(_ text: String, to folder: URL, _ path: String) throws {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    guard
      FileManager.default.createFile(
        atPath: file.path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o755])
    else { throw CocoaError(.fileWriteUnknown) }
  }
}
