/// A value of the command line or the environment that cannot be used: which one, and the form it should have.
struct ArgumentFault: Error, CustomStringConvertible {
  let description: String

  /// - Parameters:
  ///   - argument: an option or a variable.
  ///   - value: the value as given; nil for a secret.
  ///   - form: what is expected, without a final period.
  ///   - detail: a sentence about what is wrong.
  init(_ argument: String, _ value: String?, expected form: String, _ detail: String? = nil) {
    let value = value.map { " \"\($0.visible)\"" } ?? ""
    description = "\(argument)\(value): expected \(form)." + (detail.map { " \($0)" } ?? "")
  }
}
