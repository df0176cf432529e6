import PCMCore

/// The characters that a browser percent-encodes in one part of a URL (URL Standard, section 1.3).
///
/// Controls do not come this far. A percent sign is never encoded: what was written encoded stays as it was written.
extension PercentEncoding {
  static let opaquePath = PercentEncoding(encoding: "")
  static let fragment = PercentEncoding(encoding: " \"<>`")
  static let query = PercentEncoding(encoding: " \"#<>")
  /// For http, https, ws, wss and ftp.
  static let specialQuery = PercentEncoding(encoding: " \"#<>'")
  static let path = PercentEncoding(encoding: " \"#<>?^`{}")
  /// The colon is missing from the standard's set: here user and password are one text, and the first colon parts them.
  static let userInformation = PercentEncoding(encoding: " \"#<>?`{}/;=@[\\]^|")
}
