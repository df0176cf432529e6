import Foundation
import ServiceSupport
import Testing

/// Options that would make every request fail, or send it to the real host, are refused before anything starts.
@Suite(.timeLimit(.minutes(10))) struct StartOptionTests {
  @Test(
    arguments: [
      (["serve", "--api-token", ""], [:], "--api-token \"\": expected a token that is not blank."),
      (["serve", "--api-token", "  "], [:], "--api-token \"  \": expected a token that is not blank."),
      (["serve"], ["PCM_BROWSER_API_TOKEN": ""], "PCM_BROWSER_API_TOKEN \"\": expected a token that is not blank."),
      (
        ["serve"], ["PCM_BROWSER_API_TOKEN": "secret\n"],
        "PCM_BROWSER_API_TOKEN: expected a token of printable ASCII characters"
      ),
      (["receive"], ["PCM_BROWSER_ADMIN_TOKEN": " "], "PCM_BROWSER_ADMIN_TOKEN \" \": expected a token that is not blank."),
      (["receive", "--admin-token", "sécret"], [:], "--admin-token: expected a token of printable ASCII characters"),
      (
        ["check", "https://localhost", "--token-admin", "https://localhost/admin", "--admin-token", ""], [:],
        "--admin-token \"\": expected a token that is not blank."
      ),
    ] as [([String], [String: String], String)])
  func aTokenThatNoCallerCanSend(_ arguments: [String], _ environment: [String: String], _ said: String) async throws {
    let failed = try await FailedCommand(
      arguments.first == "check" ? arguments : arguments + ["--port", "0"], environment: environment)
    #expect(failed.status == 2)
    #expect(failed.message.contains(said), "\(failed.message)")
    #expect(!failed.message.contains("cret\n") && !failed.message.contains("sécret"), "\(failed.message)")
  }

  @Test func aTokenComesFromTheFirstLineOfAFile() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/token"
    try " secret-1 \r\nsecond\n".write(toFile: file, atomically: false, encoding: .utf8)
    let service = try await ServiceProcess(
      data: folder.path + "/data", arguments: ["--api-token-file", file], environment: ["PCM_BROWSER_API_TOKEN": "other"])
    defer { service.kill() }
    for (token, status) in [("secret-1", 200), ("other", 401), ("second", 401)] {
      let request = "GET /v1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\nConnection: close\r\n\r\n"
      #expect(try await service.exchange(raw: request).hasPrefix("HTTP/1.1 \(status) "))
    }
  }

  @Test(arguments: [
    ("\n secret", "expected a file with the token in its first line. The line is blank."),
    ("", "expected a file with the token in its first line. The line is blank."),
    ("sécret\n", "--api-token-file: expected a token of printable ASCII characters"),
    (nil, "expected a file with the token in its first line. No such file or directory."),
  ])
  func aTokenFileThatIsWrong(_ text: String?, _ said: String) async throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/token"
    try text?.write(toFile: file, atomically: false, encoding: .utf8)
    let failed = try await FailedCommand(["serve", "--port", "0", "--data", folder.path + "/data", "--api-token-file", file])
    #expect(failed.status == 2)
    #expect(failed.message.contains(said), "\(failed.message)")
    #expect(!failed.message.contains("cret\n") && !failed.message.contains("sécret"), "\(failed.message)")
  }

  @Test func aTokenIsGivenOnce() async throws {
    let failed = try await FailedCommand(["serve", "--port", "0", "--api-token", "a", "--api-token-file", "/nonexistent"])
    #expect(failed.status == 2)
    #expect(failed.message.contains("--api-token and --api-token-file exclude each other"), "\(failed.message)")
  }

  @Test func onlyTheOwnerReadsTheDataFolder() async throws {
    let folder = try TemporaryFolder()
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    try await ServiceProcess(data: folder.path + "/new").kill()
    #expect(try mode(folder.path + "/new") == 0o700)
    let old = folder.path + "/old"
    try FileManager.default.createDirectory(
      atPath: old, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o750])
    try await ServiceProcess(data: old).kill()
    #expect(try mode(old) == 0o750)
  }

  @Test func anEntryThatTakesBackAnotherIsTaken() async throws {
    let failed = try await FailedCommand([
      "check", "https://localhost", "--rules", "endpoint-", "--resolve", "-news.example:443",
    ])
    #expect(failed.status != 2, "\(failed.message)")
  }
}
