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

  private static func arguments(_ command: String, _ folder: TemporaryFolder, _ more: String...) -> [String] {
    let files =
      command == "serve" ? ["--data", folder.path + "/second"] : ["--key-bits", "2048", "--ca-out", folder.path + "/ca.pem"]
    return [command] + files + more
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
}
