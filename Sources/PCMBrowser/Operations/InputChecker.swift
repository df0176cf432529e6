import PCMCore
import PCMNetwork
import PCMURL

/// Reads the URLs of an input and collects its faults, so that an answer names all of them.
struct InputChecker {
  private let sites: SiteParser
  var problems: [InputError] = []

  init(sites: SiteParser) { self.sites = sites }

  init(environment: BrowserEnvironment) { self.init(sites: environment.sites) }

  /// - Parameter sitelessAllowed: Whether the document may have no site, such as `about:blank`.
  mutating func url(
    _ text: String, _ path: [String], httpOnly: Bool = true, hostNeeded: Bool = true, sitelessAllowed: Bool = false
  ) -> WebURL? {
    do throws(URLParsingError) {
      let url = try sites.url(text)
      if sitelessAllowed, FirstParty.lacksSite(url) { return url }
      if hostNeeded, url.host.isEmpty {
        problems.append(InputError(path, "the URL has no host; write it in full, as in https://shop.example/"))
        return nil
      }
      if httpOnly, !url.isHTTPFamily {
        problems.append(InputError(path, "the URL's scheme is \(url.scheme); use an http or https URL"))
        return nil
      }
      return url
    } catch {
      problems.append(InputError(path, error.detail))
      return nil
    }
  }

  mutating func url(_ text: String?, _ path: [String]) -> WebURL? {
    guard let text else { return nil }
    return url(text, path)
  }

  /// Checks a host, optionally with a port. Returns whether it is valid.
  mutating func host(_ text: String, _ path: [String]) -> Bool {
    guard !text.utf8.contains(UInt8(ascii: "@")) else {
      problems.append(InputError(path, "a text with an @ is not a host; give one such as news.example"))
      return false
    }
    let url = try? sites.url("https://\(text)/")
    guard let url, url.path == "/", url.query == nil, !url.hasFragment, !url.host.isEmpty else {
      problems.append(InputError(path, "\"\(text)\" is not a host; give one such as news.example"))
      return false
    }
    return true
  }

  mutating func bundleIdentifier(_ text: String?, _ path: [String]) {
    guard let text else { return }
    let limit = BundleIdentifier.maximumLength
    guard !(1...limit).contains(text.utf8.count) || !BundleIdentifier.hasAllowedCharacters(text) else { return }
    problems.append(
      InputError(
        path,
        "a bundle identifier has 1 to \(limit) ASCII letters, digits, hyphens, periods, and underscores, such as com.example.news"
      ))
  }

  func finish() throws(BrowserError) {
    guard problems.isEmpty else { throw .invalidInput(problems) }
  }

  /// For a value that is nil only when a problem was noted.
  func required<Value>(_ value: Value?) throws(BrowserError) -> Value {
    guard let value else { throw .invalidInput(problems) }
    return value
  }
}
