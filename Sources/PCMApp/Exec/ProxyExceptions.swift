/// The hosts that the command of `exec` calls without the proxy of its environment: the service and the report endpoint.
enum ProxyExceptions {
  private static let proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap { [$0, $0.lowercased()] }
  /// Some programs read the first one first, and others the second one.
  private static let names = ["NO_PROXY", "no_proxy"]
  private static let loopback = ["127.0.0.1", "localhost", "::1", "[::1]"]

  /// Returns the variables to set; none without a proxy.
  ///
  /// - Parameter host: The host of the service.
  static func variables(in environment: [String: String], host: String) -> [String: String?] {
    guard proxies.contains(where: { environment[$0]?.isEmpty == false }) else { return [:] }
    let lists = names.compactMap { environment[$0] }.filter { !$0.isEmpty }
    let hosts = loopback + (loopback.contains(host) ? [] : [host])
    var variables: [String: String?] = [:]
    for name in names {
      let list = environment[name].flatMap { $0.isEmpty ? nil : $0 } ?? lists.first ?? ""
      let known = list.split(whereSeparator: { $0 == "," || $0.isWhitespace }).map { $0.lowercased() }
      // An asterisk is every host.
      let missing = known.contains("*") ? [] : hosts.filter { !known.contains($0) }
      variables[name] = ((list.isEmpty ? [] : [list]) + missing).joined(separator: ",")
    }
    return variables
  }
}
