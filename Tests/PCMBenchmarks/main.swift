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
case ("tokens", nil): try TokenBenchmark.run()
default:
  print(
    "usage: PCMBenchmarks serve FOLDER | send PORT CA-FILE COUNT | triggers FOLDER | fill FOLDER | stream FOLDER | advance | tokens"
  )
}
