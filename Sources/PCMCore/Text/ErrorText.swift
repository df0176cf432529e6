/// The text of an error for a log.
package enum ErrorText {
  /// Returns the description of an error, or the name of its type if it has none for people. The members of a Swift value are no
  /// cause, and may be private.
  package static func text(of error: any Error) -> String {
    description(of: error) ?? "an unexpected error of the type \(type(of: error))"
  }

  /// Returns the description that an error has for people; nil without one.
  package static func description(of error: any Error) -> String? {
    (error as? any CustomStringConvertible)?.description
  }
}
