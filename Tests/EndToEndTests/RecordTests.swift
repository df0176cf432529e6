import Foundation
import ServiceSupport
import Testing

/// `pcm-browser serve --record`, against a real endpoint, and what `pcm-browser run` makes of it without one.
@Suite(.timeLimit(.minutes(10))) struct RecordTests {
  @Test func aRecordingIsAScenarioThatPasses() async throws {
    try await ReceiveStage.run { stage async throws in
      try await stage.order(#"{"on":"report","fault":"status","status":503,"times":1}"#)
      let recordings = stage.files.path + "/sessions"
      let service = try await ServiceProcess(
        data: stage.files.path + "/data", "--connect-to", "::127.0.0.1:\(stage.process.port)", "--ca-file",
        stage.files.path + "/ca.pem", "--record", recordings)
      try await Stage.prepare(service, seed: "record")
      _ = try await service.call("POST", "\(Stage.browser)/event-attributions", Stage.click)
      _ = try await service.call("POST", "\(Stage.browser)/triggering-events", Stage.trigger)
      _ = try await service.call("POST", "\(Stage.browser)/clock/advance", #"{"by":"PT48H"}"#)
      service.terminate()
      #expect(await service.status() == 0)

      let file = recordings + "/test.yaml"
      let text = try String(contentsOfFile: file, encoding: .utf8)
      #expect(text.contains(#""status": 503"#) && text.contains(#""report-failed""#), "\(text)")
      #expect(FileManager.default.fileExists(atPath: recordings + "/test-app-1.plist"))
      let run = try await ServiceProcess.run(["run", recordings])
      #expect(run.status == 0, "\(run.output)\n\(text)")
      // What is recorded is expected, too.
      try text.replacing(#""status": 503"#, with: #""status": 204"#).write(toFile: file, atomically: true, encoding: .utf8)
      #expect(try await ServiceProcess.run(["run", file]).status == 1)
    }
  }

  @Test func aFolderThatCannotBeMadeIsSaid() async throws {
    let folder = try TemporaryFolder()
    let serve = try await ServiceProcess.run(
      ["serve", "--port", "0", "--data", folder.path + "/data", "--record", "/dev/null/sessions"])
    #expect(serve.status == 2)
  }
}
