/// The way in: `let browser = try await PCM.browser("checkout", clock: .manual)`.
public enum PCM {
  /// A new browser for a test. One that has the same name is deleted first, so a test finds nothing of its last run.
  ///
  /// - Parameters:
  ///   - name: 1 to 64 of `a-z`, `0-9`, `.`, `_` and `-`. Tests that run at the same time need different names.
  ///   - clock: By default one that only the test moves.
  ///   - seed: The same seed, the same calls and the same virtual times give the same answers, to the bit. By default the
  ///     name, so that a test is the same in every run.
  ///   - storage: By default in memory: the browser goes with the service.
  ///   - settings: What the browser's user has switched on and off.
  ///   - service: By default the one that `PCM_BROWSER_URL` and `PCM_BROWSER_API_TOKEN` name.
  /// - Throws: `ServiceError` when the service refuses or does not answer.
  public static func browser(
    _ name: String, clock: BrowserClock = .manual, seed: String? = nil, storage: Storage = .memory,
    settings: BrowserSettings = BrowserSettings(), on service: PCMService = .fromEnvironment
  ) async throws -> Browser {
    do {
      try await service.deleteBrowser(name)
    } catch let error as ServiceError where error.status == 404 {
      // Nothing to delete, which is how it should be.
    }
    return try await service.createBrowser(name, clock: clock, seed: seed ?? name, storage: storage, settings: settings)
  }
}
