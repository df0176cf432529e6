import PCMCore

@testable import PCMURL

let sites = SiteParser(publicSuffixList: .builtIn())

extension FuzzTarget {
  /// URLs: a normal form is its own normal form, and no form repeats the user information.
  static let url = FuzzTarget("url") { bytes in
    guard let text = text(bytes), let url = try? sites.url(text) else { return false }
    try checkNormalForm(url)
    let anonymous = try required("a URL without its user information is a URL") {
      try sites.url(text.withoutUserInformation)
    }
    try check(!anonymous.hasCredentials, "the user information is removed")
    try checkEqual(anonymous.text, url.text, "only the user information is removed")
    return true
  }

  /// The `Location` of a redirect: its target is absolute, and a relative reference stays on the host.
  static let location = FuzzTarget("location") { bytes in
    guard let location = text(bytes) else { return false }
    var isAccepted = false
    for base in bases {
      guard let target = try? sites.redirectTarget(of: location, from: base), let url = try? sites.url(target)
      else { continue }
      isAccepted = true
      try checkNormalForm(url)
      if isRelative(location) {
        try checkEqual(url.scheme, base.scheme, "a relative reference keeps the scheme")
        try checkEqual(url.host, base.host, "a relative reference keeps the host")
        try checkEqual(url.port, base.port, "a relative reference keeps the port")
      }
      guard url.text.utf8.count <= URLText.limit else { continue }
      let again = try required("a target is the reference to itself") {
        try sites.url(sites.redirectTarget(of: url.text, from: base))
      }
      try checkEqual(again.text, url.hasFragment ? url.text : url.text + fragment(of: base), "the target of a target")
    }
    return isAccepted
  }

  private static let bases = ["https://news.example/a/b?c#d", "http://shop.example:8080/"].compactMap {
    try? sites.url($0)
  }

  private static func fragment(of url: WebURL) -> Substring {
    url.text.firstIndex(of: "#").map { url.text[$0...] } ?? ""
  }

  /// Whether a reference has neither a scheme nor a host: no colon before the path, and no two slashes at the start.
  private static func isRelative(_ location: String) -> Bool {
    let text = location.utf8.drop { $0 <= 0x20 }.filter { ![0x09, 0x0A, 0x0D].contains($0) }
    if text.count >= 2, text.prefix(2).allSatisfy({ [UInt8(ascii: "/"), UInt8(ascii: "\\")].contains($0) }) { return false }
    return !text.prefix { !"/?#".utf8.contains($0) }.contains(UInt8(ascii: ":"))
  }

  private static func checkNormalForm(_ url: WebURL) throws {
    // Only a path without a host can contain spaces (URL Standard, "opaque path").
    let first: UInt8 = url.host.isEmpty ? 0x20 : 0x21
    try check(url.text.utf8.allSatisfy { $0 >= first && $0 < 0x7F }, "a normal form is printable ASCII")
    // The host of a URL with another scheme keeps its case.
    let host = url.isHTTPFamily ? url.host : url.host.lowercased()
    try check(host.isEmpty || url.site.contains(host: host), "the host is on its site")
    let (site, hasRegistrableDomain) = sites.site(ofHost: host)
    try checkEqual(url.site, site, "the site of a URL and of its host")
    try checkEqual(url.hasRegistrableDomain, hasRegistrableDomain, "the registrable domain of a URL and of its host")
    // Encoding can lengthen a URL beyond the limit.
    guard url.text.utf8.count <= URLText.limit else { return }
    let again = try required("a normal form is a URL") { try sites.url(url.text) }
    try checkSame(again, url, "the normal form of a normal form")
    try check(!again.hasCredentials, "a normal form has no user information")
  }

  private static func checkSame(_ one: WebURL, _ other: WebURL, _ property: String) throws {
    try checkEqual(one.text, other.text, property)
    try checkEqual(
      [one.scheme, one.host, one.path, one.query, one.site.domain],
      [other.scheme, other.host, other.path, other.query, other.site.domain], property)
    try checkEqual(one.hasFragment, other.hasFragment, property)
  }
}
