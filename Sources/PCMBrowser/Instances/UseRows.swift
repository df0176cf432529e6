import NIOConcurrencyHelpers
import PCMCore
import PCMStore

/// Uses of the browsers of a shared store. Instances count them in a row, and compare no times: their clocks may differ.
extension Browser {
  /// Announces to the other instances a use of the browser since the last call, or a current use.
  func recordUse() async throws {
    let use = usage.withLockedValue { $0.count > 0 ? environment.wallClock() : $0.lastUse }
    guard usage.withLockedValue({ $0.recordedUse != use }) else { return }
    let count = try await store.write(record.id) { writer in
      let count = try writer.useCount() + 1
      try writer.save(InstanceRow(.uses, value: String(count)))
      return count
    }
    usage.withLockedValue { ($0.recordedUse, $0.knownCount) = (use, count) }
  }

  /// Reads the idle timeout, and whether another instance has used the browser. Its idle time then begins anew.
  func findUses() async throws {
    let (upkeep, count) = try await read { (try $0.state().upkeep, try $0.useCount()) }
    withState { $0.upkeep = upkeep }
    usage.withLockedValue { usage in
      guard usage.knownCount != count else { return }
      (usage.knownCount, usage.foundUse) = (count, environment.wallClock())
    }
  }
}

extension BrowserReader {
  fileprivate func useCount() throws -> Int64 {
    try common(.uses).flatMap { Int64($0) } ?? 0
  }
}

extension Browsers {
  /// Records the uses of the browsers with an idle timeout. Opens browsers of other instances, which may be gone.
  func recordUses(in store: any Store, onFault: @escaping @Sendable (Browser, any Error) -> Void) async throws {
    var next: String? = ""
    while let name = next {
      let part = try await store.browsers(after: name, limit: 1_000)
      await withDiscardingTaskGroup { group in
        for listed in part.browsers where listed.upkeep.idleTimeout != nil {
          group.addTask {
            // A damaged browser is reported when it is called.
            guard let browser = try? await self.browser(listed.record) else { return }
            browser.withState { $0.upkeep = listed.upkeep }
            do { try await browser.recordUse() } catch StoreError.unknownBrowser {
              self.forget(browser)
            } catch {
              onFault(browser, error)
            }
          }
        }
      }
      next = part.last
    }
  }
}
