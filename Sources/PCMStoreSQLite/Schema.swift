import GRDB
import PCMStore

/// The tables. A change of them has a new version.
///
/// Constraints ensure valid values and ownership. SQL contains no rules of measurement. The browser's number is first in
/// each primary key, so that its rows are adjacent, and are copied and removed without a search.
enum Schema {
  /// `PRAGMA user_version` of a file with these tables.
  static let version = 4

  /// Creates the tables in a new file. Returns whether the file was new. Throws `StoreError.otherVersion` for a file with other
  /// tables.
  static func prepare(_ database: Database, path: String) throws -> Bool {
    let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    guard found != version else { return false }
    guard found == 0 else { throw StoreError.otherVersion(path: path, found: found, expected: version) }
    let rows = TableSQL.tables.map { TableSQL($0.table).create }
    for sql in [browsers] + rows + [events, eventSubjects, ruleLists, probe] {
      try database.execute(sql: sql)
    }
    try database.execute(sql: "PRAGMA user_version = \(version)")
    return true
  }

  /// AUTOINCREMENT: the number of a deleted browser is never reused. Labels and settings are JSON objects; a null timeout is
  /// none. A browser is hidden while it is an incomplete copy (1), and after its deletion until its rows are removed (2).
  private static let browsers = """
    CREATE TABLE browsers (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE,
      created_at INTEGER NOT NULL,
      incarnation TEXT NOT NULL,
      seed TEXT NOT NULL,
      clock_mode TEXT NOT NULL,
      start INTEGER NOT NULL,
      initial_settings TEXT NOT NULL,
      initial_labels TEXT NOT NULL DEFAULT '{}',
      initial_idle_timeout INTEGER,
      settings TEXT NOT NULL DEFAULT '{}',
      network TEXT NOT NULL DEFAULT 'real',
      labels TEXT NOT NULL DEFAULT '{}',
      idle_timeout INTEGER,
      now INTEGER NOT NULL DEFAULT 0,
      timer INTEGER,
      journal_count INTEGER NOT NULL DEFAULT 0,
      journal_bytes INTEGER NOT NULL DEFAULT 0,
      journal_ending TEXT,
      draws TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(draws)),
      registry INTEGER NOT NULL DEFAULT 0,
      due_at INTEGER,
      claimed_by INTEGER,
      fence INTEGER NOT NULL DEFAULT 0,
      hidden INTEGER CHECK (hidden IN (1, 2))
    ) STRICT;
    CREATE INDEX hidden_browsers ON browsers (hidden, id) WHERE hidden IS NOT NULL;
    CREATE INDEX due_browsers ON browsers (due_at, id) WHERE due_at IS NOT NULL AND claimed_by IS NULL AND hidden IS NULL;
    """

  private static let events = """
    CREATE TABLE events (
      browser INTEGER NOT NULL REFERENCES browsers ON DELETE CASCADE,
      sequence INTEGER NOT NULL CHECK (sequence > 0),
      at INTEGER NOT NULL,
      kind TEXT NOT NULL,
      detail TEXT NOT NULL,
      PRIMARY KEY (browser, sequence)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX events_by_kind ON events (browser, kind, sequence);
    """

  /// The subjects of each event, in blocks of 1,024 numbers that are removed together with their events. A record that an
  /// event introduces with its own number is omitted.
  private static let eventSubjects = """
    CREATE TABLE event_subjects (
      browser INTEGER NOT NULL REFERENCES browsers ON DELETE CASCADE,
      block INTEGER NOT NULL,
      subject TEXT NOT NULL,
      sequence INTEGER NOT NULL,
      PRIMARY KEY (browser, block, subject, sequence)
    ) STRICT, WITHOUT ROWID
    """

  /// The rule lists that decisions in the log refer to, shared by all browsers: a few lists per version of the service.
  private static let ruleLists = "CREATE TABLE rule_lists (id TEXT PRIMARY KEY, rules TEXT NOT NULL) STRICT, WITHOUT ROWID"

  /// One row for checking whether the database is writable.
  private static let probe = """
    CREATE TABLE probe (id INTEGER PRIMARY KEY CHECK (id = 1), writes INTEGER NOT NULL) STRICT;
    INSERT INTO probe VALUES (1, 0);
    """
}
