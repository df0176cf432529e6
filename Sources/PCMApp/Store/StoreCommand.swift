import ArgumentParser

struct StoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Copy the durable browsers of a service.", subcommands: [StoreCopyCommand.self])
}
