import PCMStore
import PCMStoreSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Keeps what a scenario's durable browser leaves behind from one start of its service to the next.
enum ScenarioKeeper: Sendable {
  /// Nothing has to outlive a restart.
  case nothing
  case memory(MemoryStore)
  /// The path of a folder.
  case folder(String)

  init(isDurable: Bool, _ durability: ScenarioStages.Durability) throws(StoreError) {
    switch (isDurable, durability) {
    case (false, _): self = .nothing
    case (true, .process): self = .memory(MemoryStore())
    case (true, .disk): self = .folder(try Self.makeFolder())
    }
  }

  func open() throws -> any Store {
    switch self {
    case .nothing: MemoryStore()
    case .memory(let store): store
    case .folder(let path): try SQLiteStore(path: "\(path)/scenario.sqlite")
    }
  }

  func close(_ store: any Store) async throws {
    if case .folder = self { try await store.close() }
  }

  func remove() throws {
    if case .folder(let path) = self { try FileManager.default.removeItem(atPath: path) }
  }

  private static func makeFolder() throws(StoreError) -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("pcm-browser-scenario-\(SystemChance.seed())").path
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .unavailable("cannot create the temporary folder \(path); set TMPDIR to one that can be written to")
    }
    return path
  }
}
