/// The ads of the forms. The service signs them at the time of the browser, and the script fills the fields.
package enum ExampleAds {
  package static let adNetwork = "example123.skadnetwork"
  package static let sourceIdentifier: Int64 = 5239
  /// The identifiers of the apps in the App Store.
  package static let (advertisedItem, sourceItem): (Int64, Int64) = (525_463_029, 1_108_187_390)
  /// The impressions of the ad that StoreKit renders and of the ad that the app renders.
  package static let renderedImpression = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"
  package static let displayedImpression = "2c9a4f1e-77d1-4b0e-8a6c-5f2d3e1b9c40"

  /// The Info.plist of the app that displays an ad for a web page.
  package static let manifest = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0">
    <dict>
      <key>CFBundleIdentifier</key>
      <string>com.example.news</string>
      <key>NSAdvertisingAttributionReportEndpoint</key>
      <string>https://news.example</string>
    </dict>
    </plist>
    """
}
