import PCMCore
package import PCMNetwork

// A cookie as libcurl reads and returns it: a line of seven fields, as in Netscape's cookie files.

extension Cookie {
  private static let httpOnlyMark = "#HttpOnly_"

  /// Parses a line. Returns nil when it does not have seven fields.
  package init?(line: String) {
    let fields = line.split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 7, let seconds = Int64(fields[4]) else { return nil }
    let isHTTPOnly = fields[0].hasPrefix(Self.httpOnlyMark)
    let domain = fields[0].dropFirst(isHTTPOnly ? Self.httpOnlyMark.count : 0)
    self.init(
      domain: String(domain.hasPrefix(".") ? domain.dropFirst() : domain), includesSubdomains: fields[1] == "TRUE",
      // libcurl sends a cookie with one of these paths to every path. Read back, an empty path is `/`, and a word is the next field.
      path: ["", "TRUE", "FALSE"].contains(fields[2]) ? "/" : fields[2], isSecure: fields[3] == "TRUE", isHTTPOnly: isHTTPOnly,
      name: fields[5], value: fields[6],
      expires: seconds == 0 ? nil : Instant(milliseconds: max(0, min(seconds, Instant.latest.milliseconds / 1_000)) * 1_000))
  }

  package var line: String {
    [
      (isHTTPOnly ? Self.httpOnlyMark : "") + (includesSubdomains ? "." : "") + domain, includesSubdomains ? "TRUE" : "FALSE",
      path,
      isSecure ? "TRUE" : "FALSE", String(expires.map { $0.milliseconds / 1_000 } ?? 0), name, value,
    ].joined(separator: "\t")
  }
}
