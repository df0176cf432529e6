import GRDB

/// The tables. Released migrations are never edited; each change is a new migration.
///
/// Constraints ensure valid values and ownership. SQL contains no rules of measurement. The browser's number is first in
/// each primary key, so that its rows are adjacent, and are copied and removed without a search.
enum Schema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("tables") { database in
      for sql in [browsers, apps, clicks, attributions, reports, events, probe] { try database.execute(sql: sql) }
    }
    migrator.registerMigration("tokens") { try $0.execute(sql: tokens) }
    migrator.registerMigration("rules of decisions") { try $0.execute(sql: ruleLists) }
    migrator.registerMigration("index of events") { try $0.execute(sql: eventIndex) }
    migrator.registerMigration("retention of the log") { try $0.execute(sql: retention) }
    migrator.registerMigration("index of lost clicks") { try $0.execute(sql: lostClicks) }
    migrator.registerMigration("values of the creation") { try $0.execute(sql: creation) }
    migrator.registerMigration("names of the settled API") { try $0.execute(sql: settledNames) }
    migrator.registerMigration("incarnations") { try $0.execute(sql: incarnations) }
    migrator.registerMigration("labels and idle timeouts") { try $0.execute(sql: upkeep) }
    migrator.registerMigration("item identifiers") { database in
      try database.execute(sql: "ALTER TABLE apps ADD COLUMN item_identifier INTEGER")
    }
    migrator.registerMigration("kept requests") { try $0.execute(sql: keptRequests) }
    migrator.registerMigration("simulated sites") { try $0.execute(sql: simulatedSites) }
    migrator.registerMigration("index of triggering events") { try $0.execute(sql: triggeringEvents) }
    migrator.registerMigration("journals") { try $0.execute(sql: journals) }
    migrator.registerMigration("counts of attempts") { try $0.execute(sql: attemptCounts) }
    migrator.registerMigration("attribution of app installs") { database in
      try database.execute(sql: "ALTER TABLE apps ADD COLUMN ad_attribution TEXT")
    }
    migrator.registerMigration("device") { try $0.execute(sql: device) }
    migrator.registerMigration("builds of apps") { try $0.execute(sql: builds) }
    migrator.registerMigration("signed texts of ads") { try $0.execute(sql: signedTexts) }
    migrator.registerMigration("hidden browsers") { try $0.execute(sql: hiddenBrowsers) }
    return migrator
  }

  /// AUTOINCREMENT: the number of a deleted browser is never reused.
  private static let browsers = """
    CREATE TABLE browsers (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE,
      seed TEXT NOT NULL,
      clock_mode TEXT NOT NULL,
      measurement_enabled INTEGER NOT NULL CHECK (measurement_enabled IN (0, 1)),
      private_browsing INTEGER NOT NULL CHECK (private_browsing IN (0, 1)),
      debug_mode INTEGER NOT NULL CHECK (debug_mode IN (0, 1)),
      delivery_policy TEXT NOT NULL,
      report_url TEXT NOT NULL,
      now INTEGER NOT NULL,
      timer INTEGER,
      draws TEXT NOT NULL CHECK (json_valid(draws))
    ) STRICT
    """

  private static let apps = """
    CREATE TABLE apps (
      browser INTEGER NOT NULL REFERENCES browsers ON DELETE CASCADE,
      bundle TEXT NOT NULL,
      report_endpoint TEXT,
      endpoint_problem TEXT,
      is_mac_catalyst INTEGER NOT NULL CHECK (is_mac_catalyst IN (0, 1)),
      findings TEXT NOT NULL,
      PRIMARY KEY (browser, bundle)
    ) STRICT, WITHOUT ROWID
    """

  /// The number is the primary key, and the click's key is a unique index. The two other indexes then contain numbers
  /// instead of three names, and only one tree is written at random positions. There is no index on the destination, because
  /// only clearing a site needs it, and every click would pay for it.
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
      due_at INTEGER NOT NULL,
      state TEXT NOT NULL,
      retry_at INTEGER,
      attempts TEXT NOT NULL,
      PRIMARY KEY (browser, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reports_by_state ON reports (browser, state, id);
    CREATE INDEX reports_by_retry ON reports (browser, retry_at, id) WHERE retry_at IS NOT NULL;
    """

  /// A token is always read and written as a whole, so its three texts share a column. A report has only the names of its
  /// keys, because its body contains the tokens.
  private static let tokens = """
    ALTER TABLE clicks ADD COLUMN token TEXT;
    ALTER TABLE attributions ADD COLUMN token TEXT;
    ALTER TABLE attributions ADD COLUMN destination_token TEXT;
    ALTER TABLE reports ADD COLUMN source_key TEXT;
    ALTER TABLE reports ADD COLUMN destination_key TEXT;
    """

  private static let events = """
    CREATE TABLE events (
      browser INTEGER NOT NULL REFERENCES browsers ON DELETE CASCADE,
      sequence INTEGER NOT NULL CHECK (sequence > 0),
      at INTEGER NOT NULL,
      kind TEXT NOT NULL,
      detail TEXT NOT NULL,
      PRIMARY KEY (browser, sequence)
    ) STRICT, WITHOUT ROWID
    """

  /// The subjects of each event, in blocks of 1,024 numbers that are removed together with their events. A record that an
  /// event introduces with its own number is omitted. SQLite parses the events of an existing log one by one, so that a long
  /// log needs no memory and the migration does not depend on later code.
  private static let eventIndex = """
    CREATE TABLE event_subjects (
      browser INTEGER NOT NULL REFERENCES browsers ON DELETE CASCADE,
      block INTEGER NOT NULL,
      subject TEXT NOT NULL,
      sequence INTEGER NOT NULL,
      PRIMARY KEY (browser, block, subject, sequence)
    ) STRICT, WITHOUT ROWID;
    INSERT OR IGNORE INTO event_subjects (browser, block, subject, sequence)
    SELECT browser, sequence / 1024, subject, sequence FROM (
      SELECT events.browser, events.sequence, events.kind, member.value AS subject
      FROM events, json_each(events.detail) AS member
      WHERE member.type = 'text' AND member.key IN ('click', 'by', 'attribution', 'report', 'sourceReport',
        'destinationReport', 'sourceSite', 'destinationSite', 'firstPartySite', 'site', 'bundleIdentifier')
      UNION ALL
      SELECT events.browser, events.sequence, events.kind, member.value
      FROM events, json_each(events.detail, '$.reports') AS member
      WHERE events.kind = 'attribution-replaced'
    )
    WHERE NOT (
      kind IN ('click-stored', 'click-held', 'attributed', 'report-scheduled')
      AND subject IN ('click-' || sequence, 'attribution-' || sequence, 'report-' || sequence)
    );
    CREATE INDEX events_by_kind ON events (browser, kind, sequence);
    """

  /// A million events, and 400 days in milliseconds.
  private static let retention = """
    ALTER TABLE browsers ADD COLUMN log_maximum_count INTEGER NOT NULL DEFAULT 1000000;
    ALTER TABLE browsers ADD COLUMN log_maximum_age INTEGER NOT NULL DEFAULT 34560000000;
    """

  /// Indexes the ephemeral clicks that triggering events lost. The events of an existing log name them in their decisions.
  private static let lostClicks = """
    INSERT OR IGNORE INTO event_subjects (browser, block, subject, sequence)
    SELECT events.browser, events.sequence / 1024, json_extract(events.detail, '$.decision.saw.heldClick'), events.sequence
    FROM browsers CROSS JOIN events INDEXED BY events_by_kind
      ON events.browser = browsers.id AND events.kind = 'trigger-unmatched'
    WHERE json_extract(events.detail, '$.reasons[0].code') IN ('held-click-mismatch', 'held-click-expired')
      AND json_type(events.detail, '$.decision.saw.heldClick') = 'text'
    """

  /// The initial time and settings. Those of existing browsers are unknown, so they are the current time and the defaults.
  private static let creation = """
    ALTER TABLE browsers ADD COLUMN start INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE browsers ADD COLUMN initial_settings TEXT NOT NULL DEFAULT '{}';
    UPDATE browsers SET start = now;
    """

  /// Details of events and values of settings under their later names. In the text of a detail, a quotation mark before a
  /// colon always ends a member's name, because those within strings are escaped.
  private static let settledNames = """
    UPDATE browsers SET report_url = 'well-known' WHERE report_url = 'wellKnown';
    UPDATE browsers SET initial_settings = replace(initial_settings, '"wellKnown"', '"well-known"');
    UPDATE events SET detail = replace(replace(replace(replace(replace(replace(replace(replace(replace(detail,
      '"click":"click-', '"clickId":"click-'),
      '"attribution":"attribution-', '"attributionId":"attribution-'),
      '"report":"report-', '"reportId":"report-'),
      '"sourceReport":', '"sourceReportId":'),
      '"destinationReport":', '"destinationReportId":'),
      '"by":"click-', '"successorId":"click-'),
      '"sourceID":', '"sourceIdentifier":'),
      '"triggeringEvent":null', '"triggeringEventId":null'),
      '"via":"slot"', '"via":"ephemeral-click"');
    UPDATE events SET detail = replace(detail,
      '"triggeringEvent":' || json_extract(detail, '$.triggeringEvent'),
      '"triggeringEventId":"triggering-event-' || json_extract(detail, '$.triggeringEvent') || '"')
    WHERE json_type(detail, '$.triggeringEvent') = 'integer';
    UPDATE events SET detail = replace(replace(replace(detail,
      '"request":', '"requestSequence":'), '"party":', '"recipient":'), '"keyID":', '"keyId":')
    WHERE kind IN ('token-requested', 'token-stored', 'token-failed');
    UPDATE events SET detail = replace(replace(replace(detail,
      '"clicks":', '"clickCount":'), '"attributions":', '"attributionCount":'), '"reports":', '"reportCount":')
    WHERE kind = 'data-cleared';
    UPDATE events SET detail = replace(detail, '"reports":', '"reportIds":') WHERE kind = 'attribution-replaced';
    UPDATE events SET detail = replace(detail, '"count":', '"eventCount":') WHERE kind = 'log-trimmed';
    UPDATE events SET detail = replace(detail, '"wellKnown"', '"well-known"') WHERE kind = 'settings-changed';
    """

  /// The machine's time of the creation, and random text. Those of existing browsers are unknown, so they are the current time of
  /// the browser's clock and the number of the row, which is never reused.
  private static let incarnations = """
    ALTER TABLE browsers ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE browsers ADD COLUMN incarnation TEXT NOT NULL DEFAULT '';
    UPDATE browsers SET created_at = now, incarnation = 'row-' || id;
    """

  /// Labels as a JSON object; a null timeout is none.
  private static let upkeep = """
    ALTER TABLE browsers ADD COLUMN labels TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE browsers ADD COLUMN idle_timeout INTEGER;
    ALTER TABLE browsers ADD COLUMN initial_labels TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE browsers ADD COLUMN initial_idle_timeout INTEGER;
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
      begun TEXT,
      status INTEGER,
      location TEXT,
      body TEXT,
      PRIMARY KEY (browser, key),
      CHECK ((status IS NULL) = (body IS NULL))
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX kept_requests_by_time ON kept_requests (browser, received_at, key, size);
    """

  /// The network of a browser, and its simulated sites. A site is always read and written as a whole.
  private static let simulatedSites = """
    ALTER TABLE browsers ADD COLUMN network TEXT NOT NULL DEFAULT 'real';
    CREATE TABLE sites (
      browser INTEGER NOT NULL REFERENCES browsers ON DELETE CASCADE,
      host TEXT NOT NULL,
      behavior TEXT NOT NULL,
      positions TEXT NOT NULL,
      PRIMARY KEY (browser, host)
    ) STRICT, WITHOUT ROWID;
    """

  /// Indexes the events that decide about an accepted triggering event by its name.
  private static let triggeringEvents = """
    INSERT OR IGNORE INTO event_subjects (browser, block, subject, sequence)
    SELECT events.browser, events.sequence / 1024, json_extract(events.detail, '$.triggeringEventId'), events.sequence
    FROM browsers CROSS JOIN events INDEXED BY events_by_kind
      ON events.browser = browsers.id AND events.kind IN ('trigger-unmatched', 'attributed')
    WHERE json_type(events.detail, '$.triggeringEventId') = 'text'
    """

  /// The calls to a browser, for a replay. Row 0 is that of a journal that ended, with the reason. Browsers from before this
  /// migration have an unknown beginning.
  private static let journals = """
    CREATE TABLE journal (
      browser INTEGER NOT NULL REFERENCES browsers ON DELETE CASCADE,
      number INTEGER NOT NULL,
      size INTEGER NOT NULL,
      text TEXT,
      ending TEXT,
      PRIMARY KEY (browser, number),
      CHECK ((number = 0) = (ending IS NOT NULL)),
      CHECK ((number = 0) = (text IS NULL))
    ) STRICT, WITHOUT ROWID;
    INSERT INTO journal (browser, number, size, ending) SELECT id, 0, 0, 'unknown-beginning' FROM browsers;
    """

  /// The number of attempts, which a report no longer keeps in full. A record separator stands between two.
  private static let attemptCounts = """
    ALTER TABLE reports ADD COLUMN attempt_count INTEGER NOT NULL DEFAULT 0;
    UPDATE reports SET attempt_count = 1 + length(attempts) - length(replace(attempts, char(30), '')) WHERE attempts != '';
    """

  /// The state of the device, and its postbacks. The index of postbacks by time contains those that wait for an attempt.
  private static let device = """
    CREATE TABLE device_rows (
      browser INTEGER NOT NULL REFERENCES browsers ON DELETE CASCADE,
      kind INTEGER NOT NULL,
      name TEXT NOT NULL,
      value TEXT NOT NULL CHECK (json_valid(value)),
      changes_at INTEGER,
      PRIMARY KEY (browser, kind, name)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX device_rows_by_time ON device_rows (browser, changes_at, kind, name) WHERE changes_at IS NOT NULL;
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

  /// The platform replaces the flag for Mac Catalyst.
  private static let builds = """
    ALTER TABLE apps ADD COLUMN sdk TEXT;
    ALTER TABLE apps ADD COLUMN signing TEXT NOT NULL DEFAULT 'store';
    ALTER TABLE apps ADD COLUMN platform TEXT NOT NULL DEFAULT 'ios';
    UPDATE apps SET platform = 'mac-catalyst' WHERE is_mac_catalyst;
    ALTER TABLE apps DROP COLUMN is_mac_catalyst;
    """

  /// The signed text of an ad on display has a separate row.
  private static let signedTexts = """
    INSERT INTO device_rows (browser, kind, name, value)
    SELECT browser, 5, name, json_object('jws', json_extract(value, '$.jws')) FROM device_rows
    WHERE kind = 3 AND CASE WHEN json_valid(value) THEN json_type(value, '$.jws') = 'text' ELSE 0 END;
    UPDATE device_rows SET value = json_remove(value, '$.jws') WHERE CASE WHEN kind = 3 THEN json_valid(value) ELSE 0 END;
    """

  /// A browser is hidden while it is an incomplete copy (1), and after its deletion until its rows are removed (2).
  private static let hiddenBrowsers = """
    ALTER TABLE browsers ADD COLUMN hidden INTEGER CHECK (hidden IN (1, 2));
    CREATE INDEX hidden_browsers ON browsers (hidden, id) WHERE hidden IS NOT NULL;
    """

  /// The rule lists that decisions in the log refer to, shared by all browsers: a few lists per version of the service.
  private static let ruleLists = "CREATE TABLE rule_lists (id TEXT PRIMARY KEY, rules TEXT NOT NULL) STRICT, WITHOUT ROWID"

  /// One row for checking whether the database is writable.
  private static let probe = """
    CREATE TABLE probe (id INTEGER PRIMARY KEY CHECK (id = 1), writes INTEGER NOT NULL) STRICT;
    INSERT INTO probe VALUES (1, 0);
    """
}
