import ArgumentParser
import PCMCore
import PCMStore
import PCMStorePostgres
import PCMStoreSQLite

struct StoreCopyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy all durable browsers between a data folder and a PostgreSQL database.",
    discussion: """
      Examples:
        pcm-browser store copy /var/lib/pcm-browser postgres://pcm@db.example/pcm
        pcm-browser store copy postgres://pcm@db.example/pcm /tmp/pcm
        pcm-browser store copy --json ~/.local/state/pcm-browser /tmp/pcm

      Stop the service first, with all instances: nothing is copied while one uses the
      source or the target. The target is a new folder, or a database without
      browsers. The source is not changed. Each copied row is read and compared with
      the original, and the browsers appear in the target together, at the end: after
      an interruption, the target has none, and the command can be repeated.

      What is due meanwhile is sent by the service that starts with the target. Do
      not start another one with the source: it would send the same.

      Exit status: 0 everything was copied; 2 nothing was.
      """)

  @Argument(help: "A data folder, or a database: postgres://USER@HOST:PORT/DATABASE.")
  var source: String

  @Argument(help: "A new folder, or a database without browsers.")
  var target: String

  @Flag(help: "Print JSON: the number of browsers, and the number of rows of each table.")
  var json = false

  func validate() throws {
    for text in [source, target] { _ = try StorePlace(text) }
  }

  func run() async throws {
    let progress = try await Self.withStore(StorePlace(source).open()) { source in
      try await Self.withStore(StorePlace(target).open(isNew: true)) { try await copy(source, to: $0) }
    }
    try StandardOutput.write(json ? progress.json.text + "\n" : progress.text)
  }

  /// Closes a store after the work, also when it fails: until its lease ends, a database would be in use.
  private static func withStore<Answer>(
    _ store: any CopiedStore, _ body: (any CopiedStore) async throws -> Answer
  ) async throws -> Answer {
    do {
      let answer = try await body(store)
      try await store.close()
      return answer
    } catch {
      try? await store.close()
      throw error
    }
  }

  /// Shows the progress on a terminal.
  private func copy(_ source: any CopiedStore, to target: any CopiedStore) async throws -> StoreCopy.Progress {
    let isShown = StandardError.isTerminal
    defer { if isShown { StandardError.write("\r\u{1B}[K") } }
    return try await StoreCopy(from: source, to: target).run { progress in
      guard isShown else { return }
      StandardError.write("\r\u{1B}[Kcopied \(progress.copiedBrowserCount) of \(progress.browserCount) browsers")
    }
  }
}

/// The place of a store on the command line.
enum StorePlace {
  case folder(String)
  case database(PostgresAddress)

  /// An error does not repeat an address, which may have a password.
  init(_ text: String) throws {
    guard !text.isEmpty else {
      throw StartError(description: "the path of a folder is empty; name a data folder, or a database")
    }
    guard Self.isAddress(text) else {
      self = .folder(text)
      return
    }
    do throws(StoreError) { self = .database(try PostgresAddress(text)) } catch {
      throw StartError(description: "\(error). A relative path of a folder with such a name begins with ./")
    }
  }

  /// Whether a text is meant as an address, with or without a mistake, or in libpq's other form: `host=… password=…`.
  private static func isAddress(_ text: String) -> Bool {
    let isPath = text.hasPrefix("/") && !text.hasPrefix("//") || text.hasPrefix("./") || text.hasPrefix("../")
    return text.contains("://")
      || !isPath && (text.hasPrefix("postgres") && text.contains(":") || text.contains { "@=".contains($0) })
  }

  /// - Parameter isNew: Whether a folder may be missing.
  func open(isNew: Bool = false) async throws -> any CopiedStore {
    switch self {
    case .database(let address): return try await PostgresStore(address, uptime: SystemTime.uptime())
    case .folder(let folder):
      let file = DataFolder.database(in: folder)
      guard isNew || TextFile.exists(file) else {
        throw StartError(description: "there is no \(file); name the data folder of a service, or a database")
      }
      do { try DataFolder.create(folder) } catch {
        throw StartError(description: "cannot create the folder \(folder); name another one")
      }
      return try SQLiteStore(path: file)
    }
  }
}

extension StoreCopy.Progress {
  fileprivate var json: JSON {
    let rows = rowCounts.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .number(Int64($0.value))) }
    return ["browsers": .number(Int64(copiedBrowserCount)), "rows": .object(rows)]
  }

  fileprivate var text: String {
    let rows = rowCounts.values.reduce(0, +)
    return "copied \(copiedBrowserCount) \(copiedBrowserCount == 1 ? "browser" : "browsers") with \(rows) rows\n"
  }
}
