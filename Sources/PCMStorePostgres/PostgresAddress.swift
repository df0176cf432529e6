import CLibPQ
package import PCMStore

/// The address of a database, as libpq reads it: `postgres://USER@HOST:PORT/DATABASE?sslmode=verify-full`. The description has
/// neither the password nor the parameters.
package struct PostgresAddress: Sendable, CustomStringConvertible, CustomReflectable {
  let uri: String
  package let description: String

  package var customMirror: Mirror { Mirror(self, children: []) }

  /// Throws `StoreError.unavailable` for a text that is not an address. The error does not repeat it, because it may have a password.
  package init(_ text: String) throws(StoreError) {
    guard ["postgres://", "postgresql://"].contains(where: text.hasPrefix), let parts = Self.parts(of: text) else {
      throw Self.invalid
    }
    let (host, port, database) = (parts["host"] ?? "", parts["port"] ?? "", parts["dbname"] ?? "")
    // A password, or the rest of one with a reserved character, would be taken for one of these.
    guard !database.isEmpty, !(host + database).contains("@"), !database.contains("/"), parts["user"]?.contains(":") != true,
      port.allSatisfy({ $0 == "," || $0.isWholeNumber })
    else { throw Self.invalid }
    uri = text
    let hosts = host.split(separator: ",", omittingEmptySubsequences: false)
    let ports = port.split(separator: ",", omittingEmptySubsequences: false)
    let places = hosts.enumerated().map { index, host in
      (host.contains(":") ? "[\(host)]" : host) + (index < ports.count && !ports[index].isEmpty ? ":\(ports[index])" : "")
    }
    description = "postgres://\(parts["user"].map { $0 + "@" } ?? "")\(places.joined(separator: ","))/\(database)"
  }

  private static let invalid = StoreError.unavailable(
    "the address of the store is not valid; write postgres://USER@HOST:PORT/DATABASE, and reserved characters as %40 for @ and %2F for /"
  )

  /// Returns the parameters by name, or nil when libpq rejects the text.
  private static func parts(of text: String) -> [String: String]? {
    var message: UnsafeMutablePointer<CChar>?
    guard let first = PQconninfoParse(text, &message) else {
      PQfreemem(message)
      return nil
    }
    defer { PQconninfoFree(first) }
    var parts: [String: String] = [:]
    var option = first
    while let name = option.pointee.keyword {
      parts[String(cString: name)] = option.pointee.val.map { String(cString: $0) }
      option += 1
    }
    return parts
  }
}
