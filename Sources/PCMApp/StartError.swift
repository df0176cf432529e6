import PCMCrypto
import PCMCurl
import PCMDevTools
import PCMHTTP
import PCMStore

/// An error that ends a command: a sentence with the cause and the remedy.
struct StartError: Error, CustomStringConvertible {
  let description: String
}

extension StartError {
  /// Performs work with a file that an option names, and adds the option to its error.
  static func naming<Value>(_ option: String, _ work: () throws -> Value) throws -> Value {
    do {
      return try work()
    } catch let error as StartError {
      let sentence = error.description.hasSuffix(".") ? error.description.dropLast() : error.description[...]
      throw StartError(description: "\(sentence); choose another file with \(option)")
    }
  }

  /// Creates the sentence for an error that ends a command, never Swift's description of the error value.
  init(_ error: any Error) {
    switch error {
    case let failure as StartError: self = failure
    case let failure as ListenError: self.init(description: failure.detail)
    case let failure as CertificateError: self.init(description: failure.detail)
    case let error as StoreError: self.init(description: error.description)
    case let error as CurlError:
      self.init(description: "the network is unavailable: \(error); check the limits on memory and open files")
    case let error as TokenKeyError: self.init(description: error.detail)
    case let error as DevToolsError: self.init(description: error.description)
    case let error as KeyError: self.init(description: error.detail)
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
