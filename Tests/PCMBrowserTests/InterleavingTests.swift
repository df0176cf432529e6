import BrowserSupport
import PCMBrowser
import PCMCore
import PCMNetwork
import PCMStore
import PCMURL
import Testing

/// Concurrent calls during a move of the clock.
@Suite struct InterleavingTests {
  /// A call that leaves an event by which it is recognized.
  private struct Call: Sendable {
    /// The contents of the call's first event.
    let mark: String
    let perform: @Sendable (Scene) async throws -> Void
  }

  private static func calls(_ count: Int) -> [Call] {
    (0..<count).map { number in
      switch number % 5 {
      case 0:
        Call(mark: "shop\(number).example") { try await $0.click(100 + number, to: "shop\(number).example") }
      case 1:
        // The source and the page of a conversion that exists before.
        Call(mark: "trigger-of-\(number).example") { scene in
          try await scene.trigger("12", from: "trigger-of-\(number).example", on: "shop.example")
        }
      case 2:
        Call(mark: "\"maximumCount\":\(2_000 + number),") { scene in
          try await scene.browser.change(SettingsChange(logRetention: LogRetentionChange(maximumCount: Int64(2_000 + number))))
        }
      case 3: Call(mark: "cleared\(number).example") { try await $0.browser.clear(Site("cleared\(number).example")) }
      default:
        Call(mark: "com.example.app\(number)") { scene in
          let manifest = try Scene.manifest(
            of: "com.example.app\(number)", endpoint: "https://news.example", sites: scene.environment.sites)
          _ = try await scene.browser.register(manifest)
        }
      }
    }
  }

  /// A browser with conversions whose reports a move sends. The network takes its time.
  private static func scene(pace: @escaping @Sendable () -> Int) async throws -> Scene {
    let transport = ScriptedTransport { _, _ in
      for _ in 0..<pace() { await Task.yield() }
      return Exchange(httpStatus: 200)
    }
    let scene = try await Scene(transport: transport)
    for number in 0..<6 {
      try await scene.click(1, to: "early\(number).example")
      try await scene.trigger("12", on: "early\(number).example")
    }
    for number in 0..<16 { try await scene.click(2, from: "trigger-of-\(number).example", to: "shop.example") }
    return scene
  }

  private static func log(of scene: Scene, after start: Int64 = 0) async throws -> [String] {
    try await scene.browser.events(after: start, limit: 10_000).map { event in
      "\(event.sequence) \(event.at.text) \(event.kind.rawValue) \(event.detail.text)"
    }
  }

  @Test("Sixteen callers and one move have the log of some serial order", arguments: 0..<40)
  func serialOrder(_ seed: Int) async throws {
    let calls = Self.calls(16)
    let scene = try await Self.scene { seed * 7 % 11 }
    let start = try await scene.browser.logEnd()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, call) in calls.enumerated() {
        group.addTask {
          for _ in 0..<(number * seed % 29) { await Task.yield() }
          try await call.perform(scene)
        }
      }
      group.addTask {
        for _ in 0..<(seed % 5) { await Task.yield() }
        _ = try await scene.advance(.days(2))
      }
      try await group.waitForAll()
    }
    let log = try await Self.log(of: scene, after: start)
    let positions = try calls.map { call in try #require(log.firstIndex { $0.contains(call.mark) }, "\(call.mark)") }
    let move = try #require(log.firstIndex { $0.contains(" clock-advanced ") })
    for _ in 1...2 {
      let serial = try await Self.scene { 0 }
      for (call, position) in zip(calls, positions).sorted(by: { $0.1 < $1.1 }) where position < move {
        try await call.perform(serial)
      }
      _ = try await serial.advance(.days(2))
      for (call, position) in zip(calls, positions).sorted(by: { $0.1 < $1.1 }) where position > move {
        try await call.perform(serial)
      }
      #expect(try await Self.log(of: serial, after: start) == log)
    }
  }
}
