import Foundation
import Testing

/// Replays the corpora of `scripts/fuzz`.
@Suite struct CorpusTests {
  private static let folder = URL(filePath: #filePath).appending(path: "../../../Fixtures/fuzz").standardized

  /// Each line of a corpus is an input in Base64.
  private static func inputs(of target: String) throws -> [Data] {
    let lines = try String(contentsOf: folder.appending(path: "\(target).corpus"), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return try lines.map { try #require(Data(base64Encoded: String($0)), "\($0)") }
  }

  @Test("Each input of a corpus satisfies the properties of its target", arguments: FuzzTarget.all.map(\.name))
  func corpus(_ name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    var (accepted, rejected) = (0, 0)
    for (index, input) in try Self.inputs(of: name).enumerated() {
      do {
        let isAccepted = try target.read([UInt8](input))
        (accepted, rejected) = (accepted + (isAccepted ? 1 : 0), rejected + (isAccepted ? 0 : 1))
      } catch {
        Issue.record("\(name), line \(index + 1): \(error)")
      }
    }
    #expect(accepted > 0 && rejected > 0, "\(accepted) accepted, \(rejected) rejected")
  }

  @Test("The target request-body reads each type of body")
  func bodyTypes() throws {
    let sources = URL(filePath: #filePath).appending(path: "../../../Sources").standardized
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    let declared = try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.flatMap { file in
      try String(contentsOf: file, encoding: .utf8).matches(of: /struct (\w+): (?:JSONBody|OperationInput)/).map {
        String($0.1)
      }
    }
    #expect(declared.sorted() == FuzzTarget.bodyTypes.map { "\($0)" }.sorted())
  }

  @Test func eachTargetHasACorpus() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    let corpora = names.filter { $0.hasSuffix(".corpus") }.map { String($0.dropLast(".corpus".count)) }
    #expect(corpora.sorted() == FuzzTarget.all.map(\.name).sorted())
  }
}
