import GRDB
import PCMStore

/// The tables. A change of them has a new version.
///
/// Constraints ensure valid values and ownership. SQL contains no rules of measurement. The browser's number is first in
/// each primary key, so that its rows are adjacent, and are copied and removed without a search.
enum Schema {
  /// `PRAGMA user_version` of a file with these tables.
  static let version = 1

  /// Creates the tables in a new file. Returns whether the file was new. Throws `StoreError.otherVersion` for a file with other
  /// tables.
  static func prepare(_ database: Database, path: String) throws -> Bool {
    let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    guard found != version else { return false }
    guard found == 0 else { throw StoreError.otherVersion(path: path, found: found, expected: version) }
    for sql in [
      browsers, apps, sites, clicks, attributions, reports, deviceRows, postbacks, events, eventSubjects, ruleLists, journal,
      keptRequests, probe,
    ] {
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
      measurement_enabled INTEGER NOT NULL CHECK (measurement_enabled IN (0, 1)),
      private_browsing INTEGER NOT NULL CHECK (private_browsing IN (0, 1)),
      debug_mode INTEGER NOT NULL CHECK (debug_mode IN (0, 1)),
      delivery_policy TEXT NOT NULL,
      report_url TEXT NOT NULL,
      network TEXT NOT NULL DEFAULT 'real',
      log_maximum_count INTEGER NOT NULL DEFAULT 1000000,
      log_maximum_age INTEGER NOT NULL DEFAULT 34560000000,
      labels TEXT NOT NULL DEFAULT '{}',
      idle_timeout INTEGER,
      now INTEGER NOT NULL,
      timer INTEGER,
      draws TEXT NOT NULL CHECK (json_valid(draws)),
      hidden INTEGER CHECK (hidden IN (1, 2))
    ) STRICT;
    CREATE INDEX hidden_browsers ON browsers (hidden, id) WHERE hidden IS NOT NULL;
    """

  private static let apps = """
    CREATE TABLE apps (
      browser INTEGER NOT NULL REFERENCES browsers ON DELETE CASCADE,
      bundle TEXT NOT NULL,
      report_endpoint TEXT,
      endpoint_problem TEXT,
      sdk TEXT,
      signing TEXT NOT NULL,
      platform TEXT NOT NULL,
      findings TEXT NOT NULL,
      item_identifier INTEGER,
      ad_attribution TEXT NOT NULL,
      PRIMARY KEY (browser, bundle)
    ) STRICT, WITHOUT ROWID
    """

  /// The simulated sites. A site is always read and written as a whole.
  private static let sites = """
    CREATE TABLE sites (
      browser INTEGER NOT NULL REFERENCES browsers ON DELETE CASCADE,
      host TEXT NOT NULL,
      behavior TEXT NOT NULL,
      positions TEXT NOT NULL,
      PRIMARY KEY (browser, host)
    ) STRICT, WITHOUT ROWID
    """

  /// The number is the primary key, and the click's key is a unique index. The two other indexes then contain numbers
  /// instead of three names, and only one tree is written at random positions. There is no index on the destination, because
  /// only clearing a site needs it, and every click would pay for it. A token is always read and written as a whole, so its
  /// three texts share a column.
  private static let clicks = """
    CREATE TABLE clicks (
      browser INTEGER NOT NULL REFERENCES browsers ON DELETE CASCADE,
      place INTEGER NOT NULL CHECK (place BETWEEN 0 AND 3),
      id INTEGER NOT NULL,
      source TEXT NOT NULL,
      destination TEXT NOT NULL,
      bundle TEXT NOT NULL,
      source_id INTEGER NOT NULL CHECK (source_id BETWEEN 0 AND 255),
      made_at INTEGER NOT NULL,
      nonce TEXT,
      report_endpoint TEXT,
      token TEXT,
      PRIMARY KEY (browser, place, id),
      UNIQUE (browser, place, source, destination, bundle)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX clicks_by_time ON clicks (browser, place, made_at, id);
    """

  private static let attributions = """
    CREATE TABLE attributions (
      browser INTEGER NOT NULL REFERENCES browsers ON DELETE CASCADE,
      session INTEGER NOT NULL CHECK (session BETWEEN 0 AND 1),
      id INTEGER NOT NULL,
      source TEXT NOT NULL,
      destination TEXT NOT NULL,
      bundle TEXT NOT NULL,
      click INTEGER NOT NULL,
      source_id INTEGER NOT NULL CHECK (source_id BETWEEN 0 AND 255),
      made_at INTEGER NOT NULL,
      nonce TEXT,
      report_endpoint TEXT,
      token TEXT,
      destination_token TEXT,
      trigger_data INTEGER NOT NULL CHECK (trigger_data BETWEEN 0 AND 255),
      trigger_priority INTEGER NOT NULL CHECK (trigger_priority BETWEEN 0 AND 255),
      attributed_at INTEGER NOT NULL,
      source_report INTEGER,
      source_due INTEGER,
      destination_report INTEGER,
      destination_due INTEGER,
      next_due INTEGER NOT NULL,
      PRIMARY KEY (browser, session, id),
      UNIQUE (browser, session, source, destination, bundle),
      CHECK ((source_report IS NULL) = (source_due IS NULL)),
      CHECK ((destination_report IS NULL) = (destination_due IS NULL))
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX attributions_by_time ON attributions (browser, next_due, id, session);
    """

  /// The body contains the tokens, so a report has only the names of its keys.
  private static let reports = """
    CREATE TABLE reports (
      browser INTEGER NOT NULL REFERENCES browsers ON DELETE CASCADE,
      id INTEGER NOT NULL,
      attribution INTEGER NOT NULL,
      session INTEGER NOT NULL CHECK (session BETWEEN 0 AND 1),
      source TEXT NOT NULL,
      destination TEXT NOT NULL,
      bundle TEXT NOT NULL,
      recipient TEXT NOT NULL,
      url TEXT NOT NULL,
      body TEXT NOT NULL,
      source_key TEXT,
      destination_key TEXT,
      due_at INTEGER NOT NULL,
      state TEXT NOT NULL,
      retry_at INTEGER,
      attempts TEXT NOT NULL,
      attempt_count INTEGER NOT NULL,
      PRIMARY KEY (browser, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reports_by_state ON reports (browser, state, id);
    CREATE INDEX reports_by_retry ON reports (browser, retry_at, id) WHERE retry_at IS NOT NULL;
    """

  /// The state of the device.
  private static let deviceRows = """
    CREATE TABLE device_rows (
      browser INTEGER NOT NULL REFERENCES browsers ON DELETE CASCADE,
      kind INTEGER NOT NULL,
      name TEXT NOT NULL,
      value TEXT NOT NULL CHECK (json_valid(value)),
      changes_at INTEGER,
      PRIMARY KEY (browser, kind, name)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX device_rows_by_time ON device_rows (browser, changes_at, kind, name) WHERE changes_at IS NOT NULL;
    """

  /// The index by time contains the postbacks that wait for an attempt.
  private static let postbacks = """
    CREATE TABLE postbacks (
      browser INTEGER NOT NULL REFERENCES browsers ON DELETE CASCADE,
      id INTEGER NOT NULL,
      conversion INTEGER NOT NULL,
      impression INTEGER NOT NULL,
      framework TEXT NOT NULL,
      sequence_index INTEGER NOT NULL CHECK (sequence_index BETWEEN 0 AND 2),
      did_win INTEGER NOT NULL CHECK (did_win IN (0, 1)),
      recipient TEXT NOT NULL,
      ad_network TEXT NOT NULL,
      bundle TEXT NOT NULL,
      url TEXT NOT NULL,
      body TEXT NOT NULL,
      due_at INTEGER NOT NULL,
      state TEXT NOT NULL,
      retry_at INTEGER,
      next_at INTEGER,
      attempts TEXT NOT NULL,
      attempt_count INTEGER NOT NULL,
      PRIMARY KEY (browser, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX postbacks_by_state ON postbacks (browser, state, id);
    CREATE INDEX postbacks_by_time ON postbacks (browser, next_at, id) WHERE next_at IS NOT NULL;
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

  /// The calls to a browser, for a replay. Row 0 says that the journal ended, with the reason.
  private static let journal = """
    CREATE TABLE journal (
      browser INTEGER NOT NULL REFERENCES browsers ON DELETE CASCADE,
      number INTEGER NOT NULL,
      size INTEGER NOT NULL,
      text TEXT,
      ending TEXT,
      PRIMARY KEY (browser, number),
      CHECK ((number = 0) = (ending IS NOT NULL)),
      CHECK ((number = 0) = (text IS NULL))
    ) STRICT, WITHOUT ROWID
    """

  /// The requests with a key, each with its answer. Number 0 stands for the service, so there is no reference to a browser, and
  /// the deletion of a browser removes its requests. The index contains all that a limit needs, so that no answer is read.
  private static let keptRequests = """
    CREATE TABLE kept_requests (
      browser INTEGER NOT NULL,
      key TEXT NOT NULL,
      digest TEXT NOT NULL,
      received_at INTEGER NOT NULL,
      size INTEGER NOT NULL,
      status INTEGER,
      location TEXT,
      body TEXT,
      PRIMARY KEY (browser, key),
      CHECK ((status IS NULL) = (body IS NULL))
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX kept_requests_by_time ON kept_requests (browser, received_at, key, size);
    """

  /// One row for checking whether the database is writable.
  private static let probe = """
    CREATE TABLE probe (id INTEGER PRIMARY KEY CHECK (id = 1), writes INTEGER NOT NULL) STRICT;
    INSERT INTO probe VALUES (1, 0);
    """
}
