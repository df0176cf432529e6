import ArgumentParser
import Logging
import PCMStore
import PCMStorePostgres
import ServiceLifecycle
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run the service.",
    discussion: """
      Examples:
        pcm-browser serve
        pcm-browser serve --port 0 --data /tmp/pcm
        pcm-browser serve \\
          --connect-to news.example:443:127.0.0.1:8443 --ca-file ca.pem
        pcm-browser serve --forward-to news.example=http://127.0.0.1:8000
        pcm-browser serve \\
          --store 'postgres://pcm@db/pcm?sslmode=verify-full&sslrootcert=ca.pem'
        pcm-browser serve --host 0.0.0.0 --api-token-file /run/secrets/pcm-token

      When the service is ready, it prints its address. SIGTERM and SIGINT stop it:
      it accepts no further connections, gives current requests ten seconds, and
      closes the store.

      Limits: a request's head has 100 fields and 32 KiB; its body has 64 KiB (a
      scenario 256 KiB, a manifest 1 MiB). A connection without a request, or without
      a further part of one, is closed after 75 seconds. The time of a response is
      not limited, unless its caller accepts nothing of it for 30 seconds. When the
      database is full, calls that add data return 503, and all others continue.

      Pages of other sites cannot use the service: a request whose Origin or
      Sec-Fetch-Site names another site is an error, and no response has a CORS
      header. GET /metrics, in Prometheus text, requires no token.
      """)

  @Option(help: "The port to listen on; 0 lets the kernel choose.")
  var port = 8726

  @Option(
    help: ArgumentHelp(
      "The folder of the durable browsers; created when absent. (default: $XDG_STATE_HOME/pcm-browser, or "
        + "~/.local/state/pcm-browser)", valueName: "folder"))
  var data: String?

  @Option(
    help: ArgumentHelp(
      "A PostgreSQL database for the durable browsers, in place of a folder: postgres://USER@HOST:PORT/DATABASE, with libpq's "
        + "parameters. Put the password in the file of PGPASSFILE. PCM_BROWSER_STORE has the same effect.", valueName: "address"
    ))
  var store: String?

  @OptionGroup
  var options: ServiceOptions

  func validate() throws {
    try ServiceOptions.check(port: port)
    try ServiceOptions.check(data: data)
    guard try database() != nil else { return }
    let place = store == nil ? "PCM_BROWSER_STORE" : "--store"
    guard data == nil else { throw ValidationError("--data and \(place) exclude each other; use one of them") }
    guard options.maxDisk == nil else {
      throw ValidationError(
        "--max-disk limits the file of a folder, and \(place) names a database; limit the size of PostgreSQL's disk instead")
    }
  }

  /// Returns the address of the database; nil for a folder. An error does not repeat the text, which may have a password.
  private func database() throws -> PostgresAddress? {
    guard let text = store ?? Environment.store else { return nil }
    do throws(StoreError) {
      return try PostgresAddress(text)
    } catch {
      throw StartError(description: "\(store == nil ? "PCM_BROWSER_STORE" : "--store"): \(error)")
    }
  }

  func run() async throws {
    try OpenFiles.requireEnough()
    let logger = options.logger()
    let database = try database()
    let folder = try database == nil ? data ?? Environment.stateFolder(insteadOf: "--data") : nil
    if data == nil { logger.notice("the durable browsers are in \(database?.description ?? folder ?? "")") }
    var settings = try options.settings(port: port, data: folder)
    settings.database = database
    let host = ServiceOptions.inURL(settings.host)
    let printed = ContinuedOutput(logger: logger)
    let composition = try await Composition(settings, logger: logger) { port in
      printed.perform { try StandardOutput.write("pcm-browser is listening on http://\(host):\(port)\n") }
    }
    var configuration = ServiceGroupConfiguration(
      services: composition.services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(10)
    try await ServiceGroup(configuration: configuration).run()
  }
}
