import ArgumentParser
import PCMCore

struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Show what Safari and iOS would have reported about your own events.",
    discussion: """
      Examples:
        pcm-browser simulate events.csv --reports reports.jsonl
        pcm-browser simulate events.csv --reports reports.jsonl --losses losses.csv
        pcm-browser simulate shop.csv --profile profile.yaml --reports reports.jsonl
        sort events.csv | pcm-browser simulate - --reports -
        pcm-browser simulate apps.csv --profile apps.yaml --reports postbacks.jsonl
        pcm-browser simulate events.csv.gz --reports r.jsonl --html page.html

      A line of the file is an event of a user. Without a header, the columns are
      user,time,kind,source,destination,source_id,data,priority. A header names them
      in any order, and the members of the steps of scenarios, too.

      Kinds: click or link-click, a link on a page of the source; event-attribution,
      an ad in an app whose report endpoint is the source; trigger or
      triggering-event, a pixel of the source on a page of the destination, with its
      data and priority; clear, by which the user clears the browser's data; settings,
      such as privateBrowsing. Ads for apps: impression, an ad that the source, an
      app, displays for the destination, an app or its number in the App Store;
      impression-end and impression-tap, about the user's latest ad; install, launch,
      and conversion-value, with its fine value as data, of the destination, which is
      an app or its number, too.
      An empty cell is absent. A time is in ISO 8601, or in seconds, milliseconds, or
      microseconds since 1970.
      A file .jsonl has a JSON object on each line instead. Files may be compressed
      with gzip.

      The lines of a user stand together, in the order of time: sort does it for times
      that all have the same form.

      --profile names a file in YAML or JSON that maps the file's own names of columns
      and kinds, encodes campaigns and revenues as numbers by tables or buckets, and
      gives shares of the users private browsing, no measurement, or another browser.
      A loss with the reason other-browser belongs to a user without Safari. Ads for
      apps need a profile with the apps. It may have the ad networks, the device, and
      the crowd tiers, too.

      Each user has a browser with its own random delays, which depend on --seed and
      on the user alone. --reports has a JSON object for each report, with the lines
      of its click and event. --losses has a row for each click and event without a
      report, with the rule and the reason: pcm-browser rules explains them.
      A postback has the lines of its ad, of its install or tap, and of the call with
      its value. Without --sign, it lacks its signature, and one of AdAttributionKit
      is its decoded payload.
      The summary is on standard error: clicks and triggering events, their losses by
      reason, and the triggering events that last-click attribution without limits
      would give to a click. --summary-file and --html have delays and values, too.

      The files appear complete or not at all, also after Ctrl-C.

      Exit status: 0 success; 2 no result; 130 Ctrl-C.
      """)

  @Argument(help: "A file of events, or - for standard input.")
  var file: String?

  @Option(help: "The format of the file: csv or jsonl. (default: by its name)")
  var format: EventFormat?

  @Option(help: ArgumentHelp("Columns, kinds, settings, and encodings, in YAML or JSON.", valueName: "FILE"))
  var profile: String?

  @Flag(help: "Print the JSON Schema of profiles, for an editor.")
  var schema = false

  @Option(help: ArgumentHelp("The seed of the delays. The same seed repeats them.", valueName: "TEXT"))
  var seed = "1"

  @Option(help: ArgumentHelp("Write the reports as JSON lines; - for standard output.", valueName: "FILE"))
  var reports: String?

  @Flag(help: "Sign postbacks with the published test keys, as verify --test-keys expects.")
  var sign = false

  @Option(help: ArgumentHelp("Write the clicks and events without a report as CSV.", valueName: "FILE"))
  var losses: String?

  @Option(help: ArgumentHelp("Write the counts as JSON.", valueName: "FILE"))
  var summaryFile: String?

  @Option(help: ArgumentHelp("Write the counts as a page in one file.", valueName: "FILE"))
  var html: String?

  @Option(help: ArgumentHelp("Skip up to this number of lines that cannot be read.", valueName: "NUMBER"))
  var skipBad = 0

  func validate() throws {
    if schema, file != nil { throw ValidationError("--schema cannot be combined with a file; omit one") }
    if !schema, file == nil { throw ValidationError("expected a file of events, or - for standard input") }
    if !schema, reports == nil { throw ValidationError("expected --reports FILE, or - for standard output") }
    guard skipBad >= 0 else { throw ArgumentError("--skip-bad", "\(skipBad)", expected: "a number of lines") }
    if let error = SimulationOutputs.error(in: outputs, input: file ?? "-") { throw ValidationError(error) }
    if let error = Seed.error(in: seed) { throw ArgumentError("--seed", seed, expected: "a text", error.detail) }
  }

  private var outputs: [(option: String, path: String)] {
    [("--reports", reports), ("--losses", losses), ("--summary-file", summaryFile), ("--html", html)].compactMap {
      option, path in
      path.map { (option, $0) }
    }
  }

  func run() async throws {
    guard let file else { return try StandardOutput.write(ProfileFormat.schema.text + "\n") }
    let profile = try profile.map(SimulationProfile.init(path:))
    let stream = try ByteStream(path: file)
    let outputs = try SimulationOutputs(outputs)
    var run = SimulationRun(
      file: file == "-" ? "standard input" : file, seed: seed, format: format ?? EventFormat(ofFile: file), skipped: skipBad,
      reports: outputs.first, losses: outputs["--losses"])
    (run.profile, run.signsPostbacks) = (profile, sign)
    let progress = SimulationProgress()
    run.progress = { progress.show($0, share: stream.share) }
    defer { progress.erase() }
    let summary = try await run.perform(stream)
    try outputs["--summary-file"]?.append(summary.json.bytes + Array("\n".utf8))
    try outputs["--html"]?.append(Array(summary.html(title: run.file.visible).utf8))
    try outputs.commit()
    progress.erase()
    StandardError.write("pcm-browser: \(summary.text)\n")
  }
}

extension EventFormat: ExpressibleByArgument {}
