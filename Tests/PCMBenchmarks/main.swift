import PCMCore

/// Measurements that `scripts/bench` puts side by side. Each prints lines of `name value`.
let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.dropFirst().first) {
case ("serve", let folder?): try await ServiceBenchmark.run(folder: folder)
case ("send", let port?): try await SendingBenchmark.run(port: port, arguments: Array(arguments.dropFirst(2)))
case ("triggers", let folder?): try await TriggerBenchmark.run(folder: folder)
case ("fill", let folder?): try await FillBenchmark.run(folder: folder)
case ("stream", let folder?): try await StreamBenchmark.run(folder: folder)
case ("advance", nil): try await AdvanceBenchmark.run()
case ("postbacks", let folder?): try await PostbackBenchmark.run(folder: folder)
case ("due", let port?): try await DueBenchmark.run(port: port, arguments: Array(arguments.dropFirst(2)))
case ("inserts", let folder?): try await InsertBenchmark.run(folder: folder)
case ("postgres", let address?): try await PostgresBenchmark.run(address: address)
case ("logs", let folder?): try LogBenchmark.run(folder: folder, count: Int(arguments.last ?? "") ?? 1_000_000)
case ("tokens", nil): try TokenBenchmark.run()
case ("traffic", nil): try TrafficBenchmark.run()
default:
  print(
    """
    usage: PCMBenchmarks serve FOLDER | send PORT CA-FILE COUNT | due PORT CA-FILE FOLDER | inserts FOLDER | triggers FOLDER
      | fill FOLDER | stream FOLDER | advance | postbacks FOLDER | postgres ADDRESS | tokens | logs FOLDER COUNT | traffic
    """)
}
