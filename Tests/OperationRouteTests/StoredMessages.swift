import BrowserSupport
import HTTPSupport
import PCMCore

/// Rows of delivered messages.
enum StoredMessages {
  /// - Parameter text: A text in the body.
  static func report(_ number: Int64, text: String = "") -> Report {
    Report(
      id: number, attribution: number, session: .normal,
      key: ClickKey(
        source: Site("news.example"), destination: Site("shop.example"), bundleIdentifier: BundleIdentifier.safari),
      recipient: .source, url: "https://news.example/", body: #"{"text":"\#(text)"}"#, dueAt: Scene.start, state: .delivered)
  }

  /// - Parameter text: A text in the body.
  static func postback(_ number: Int64, text: String = "") -> Postback {
    Postback(
      id: number, conversion: number, impression: number, framework: .skadnetwork, sequenceIndex: 0, didWin: true,
      recipient: .adNetwork, adNetworkIdentifier: DeviceAds.network, bundleIdentifier: DeviceAds.app,
      url: "https://ads.example/", body: #"{"text":"\#(text)"}"#,
      message: OutgoingMessage(state: .delivered, dueAt: Scene.start))
  }
}
