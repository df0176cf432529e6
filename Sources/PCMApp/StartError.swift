import PCMCurl
import PCMHTTP
import PCMStore
import PCMTokens

/// An error that ends a command: a sentence with the cause and the remedy.
struct StartError: Error, CustomStringConvertible {
  let description: String
}

extension StartError {
  /// Creates the sentence for an error that ends a command, never Swift's description of the error value.
  init(_ error: any Error) {
    switch error {
    case let failure as StartError: self = failure
    case let failure as ListenError: self.init(description: failure.detail)
    case let failure as CertificateError: self.init(description: failure.detail)
    case let error as StoreError: self.init(description: error.explanation)
    case let error as CurlError: self.init(description: "the network is unavailable: \(error)")
    case let error as TokenKeyError: self.init(description: error.detail)
    default: self.init(description: "an unexpected error of the type \(type(of: error)) ended the command")
    }
  }
}

/// An invalid value of the command line or the environment, with its expected form.
struct ArgumentError: Error, CustomStringConvertible {
  let description: String

  /// - Parameters:
  ///   - argument: The option or variable.
  ///   - value: The value as given; nil for a secret.
  ///   - form: The expected form, without a final period.
  ///   - detail: A sentence about the error.
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
    case .browserExists(let name): "the browser \(name) already exists"
    }
  }
}
