import PCMCore
import PCMManifest
import PCMSites

/// The endpoint that an examination is about: by its URL, or as an app names it.
struct CheckTarget {
  let sites: SiteParser

  /// - Parameter option: what the text belongs to, as the caller knows it.
  func url(_ text: String, _ option: String) throws -> WebURL {
    guard let url = try? sites.url(text), url.isHTTPFamily else {
      let hint = text.contains("://") ? "" : "; write https://\(text)"
      throw StartFailure(description: "\(option) is no absolute URL of http or https: \(text.visible)\(hint)")
    }
    return url
  }

  /// `NSAdvertisingAttributionReportEndpoint` of an app's Info.plist.
  func endpoint(ofManifest file: String) throws -> WebURL {
    let manifest = try ManifestFile.read(file, sites: sites)
    if let problem = manifest.endpointProblem {
      throw StartFailure(description: "\(file) names no usable endpoint. \(problem.detail)")
    }
    guard let endpoint = manifest.endpoint else { throw StartFailure(description: "\(file) names no endpoint") }
    return endpoint
  }
}
