import PCMCore
import PCMStore

extension NewBrowser {
  static func sample(_ name: String) -> NewBrowser {
    NewBrowser(name: name, seed: "seed", clockMode: .manual, state: BrowserState(now: .earliest))
  }
}
