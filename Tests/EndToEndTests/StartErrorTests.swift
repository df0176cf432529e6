import Foundation
import PCMCrypto
import ServiceSupport
import TLSSupport
import Testing

/// The message of a command that cannot start: the cause, and the option that helps.
@Suite(.timeLimit(.minutes(10))) struct StartFailureTests {
  @Test(arguments: ["serve", "receive"])
  func aPortThatIsInUse(_ command: String) async throws {
    let folder = try TemporaryFolder()
    let first = try await ServiceProcess(data: folder.path + "/first")
    let failed = try await FailedCommand(Self.arguments(command, folder, "--port", "\(first.port)"))
    #expect(failed.status == 2)
    #expect(
      failed.message.hasSuffix(
        "pcm-browser: Port \(first.port) is in use. Choose another with --port, or 0 for any free port.\n"),
      "\(failed.message)")
    #expect(!failed.isDump, "\(failed.message)")
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/second"))
    first.kill()
    await first.status()
  }

  @Test(
    arguments: ["serve", "receive"],
    [
      ("192.0.2.1", "192.0.2.1 is not an address of this machine. Choose one that is with --host, such as 127.0.0.1."),
      ("256.0.0.1", "The host name 256.0.0.1 has no address. Choose an address of this machine with --host."),
    ])
  func anAddressThatIsNotLocal(_ command: String, _ host: (name: String, said: String)) async throws {
    let folder = try TemporaryFolder()
    let failed = try await FailedCommand(
      Self.arguments(command, folder, "--port", "0", "--host", host.name) + (command == "serve" ? ["--no-token"] : []))
    #expect(failed.status == 2)
    #expect(failed.message.contains("pcm-browser: \(host.said)\n"), "\(failed.message)")
    #expect(!failed.isDump, "\(failed.message)")
  }

  private static func arguments(_ command: String, _ folder: TemporaryFolder, _ more: String...) -> [String] {
    let files =
      command == "serve" ? ["--data", folder.path + "/second"] : ["--key-bits", "2048", "--ca-out", folder.path + "/ca.pem"]
    return [command] + files + more
  }

  @Test func aDataFolderThatCannotBeUsed() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    try "no folder".write(toFile: path + "/file", atomically: false, encoding: .utf8)
    try FileManager.default.createDirectory(atPath: path + "/other", withIntermediateDirectories: true)
    try String(repeating: "no database ", count: 1_000)
      .write(toFile: path + "/other/pcm-browser.sqlite", atomically: false, encoding: .utf8)
    let rows = [
      ("", "--data \"\": expected the path of a folder."),
      (path + "/file", "cannot create the data folder \(path)/file; choose another one with --data"),
      ("/proc/data", "cannot create the data folder /proc/data; choose another one with --data"),
      (
        path + "/other",
        "\(path)/other/pcm-browser.sqlite is not a database of pcm-browser and was not changed; use another folder with --data"
      ),
    ]
    for (data, said) in rows {
      let failed = try await FailedCommand(["serve", "--port", "0", "--data", data])
      #expect(failed.status == 2, "\(data)")
      #expect(failed.message.contains(said), "\(failed.message)")
      #expect(!failed.isDump, "\(failed.message)")
    }
  }

  @Test func dataThatAnotherServiceHas() async throws {
    let folder = try TemporaryFolder()
    let first = try await ServiceProcess(data: folder.path)
    let failed = try await FailedCommand(["serve", "--port", "0", "--data", folder.path])
    #expect(failed.status == 2)
    #expect(failed.message.contains("pcm-browser.sqlite is in use: one process at a time may open it"), "\(failed.message)")
    #expect(failed.message.contains("--data"), "\(failed.message)")
    first.kill()
    await first.status()
  }

  @Test func aCertificateThatTLSCannotUse() async throws {
    let folder = try TemporaryFolder()
    let authority = try TestAuthority()
    let (one, other) = (try authority.issue(names: ["one.example"]), try authority.issue(names: ["other.example"]))
    let texts = ["nothing": "nothing", "one.pem": one.certificate, "other-key.pem": other.privateKey]
    for (name, text) in texts { try text.write(toFile: "\(folder.path)/\(name)", atomically: false, encoding: .utf8) }
    let rows = [
      ("nothing", "other-key.pem", "--certificate contains no readable PEM certificate."),
      ("one.pem", "nothing", "--private-key contains no PEM private key that is readable without a password."),
      ("one.pem", "other-key.pem", "--certificate and --private-key do not match"),
    ]
    for (certificate, key, said) in rows {
      let failed = try await FailedCommand([
        "receive", "--port", "0", "--key-bits", "2048", "--certificate", "\(folder.path)/\(certificate)", "--private-key",
        "\(folder.path)/\(key)",
      ])
      #expect(failed.status == 2)
      #expect(failed.message.contains("pcm-browser: " + said), "\(failed.message)")
      #expect(!failed.isDump, "\(failed.message)")
    }
  }

  @Test(
    arguments: [
      (["serve", "--public-suffix-list", "/nonexistent"], "/nonexistent"),
      (["demo", "--manifest", "/nonexistent"], "/nonexistent"),
      (["demo", "--manifest", #filePath], "property list"), (["manifest", #filePath], "property list"),
      (["receive", "--reports", "/nonexistent/x"], "/nonexistent/x"), (["receive", "--key", "/"], "/"),
      (["run", "/nonexistent.yaml"], "/nonexistent.yaml"),
      (["check", "https://localhost", "--junit", "/nonexistent/x"], "/nonexistent/x"),
    ])
  func otherFilesThatCannotBeUsed(_ arguments: [String], _ said: String) async throws {
    let failed = try await FailedCommand(arguments + (["serve", "receive"].contains(arguments[0]) ? ["--port", "0"] : []))
    #expect(failed.status == 2)
    #expect(failed.message.contains(said), "\(failed.message)")
    #expect(!failed.isDump, "\(failed.message)")
    #expect(!failed.message.contains(".."), "\(failed.message)")
  }
}
