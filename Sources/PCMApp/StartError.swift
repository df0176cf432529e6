import PCMCurl
import PCMHTTP
import PCMStore
import PCMTokens

/// Why a command cannot do its work, in a sentence that says what to do.
struct StartError: Error, CustomStringConvertible {
  let description: String
}

extension StartError {
  /// The words for an error that ends a command: never the value of an error as Swift prints it.
  init(_ error: any Error) {
    switch error {
    case let failure as StartError: self = failure
    case let failure as ListenError: self.init(description: failure.detail)
    case let failure as CertificateError: self.init(description: failure.detail)
    case let error as StoreError: self.init(description: error.explanation)
    case let error as CurlError: self.init(description: "the network cannot be used: \(error)")
    case let refusal as TokenKeyError: self.init(description: refusal.detail)
    default: self.init(description: "an unexpected error of the type \(type(of: error)) ended the command")
    }
  }
}

/// A value of the command line or the environment that cannot be used: which one, and the form it should have.
struct ArgumentError: Error, CustomStringConvertible {
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

extension StoreError {
  var explanation: String {
    switch self {
    case .newerSchema(let path): "a newer version of pcm-browser wrote \(path); use that version"
    case .unavailable(let text): text
    case .closed: "the store is closed"
    case .unknownBrowser: "the browser does not exist"
    case .browserExists(let name): "the browser \(name) exists already"
    }
  }
}
