import PCMCurl
import PCMHTTP
import PCMStore
import PCMTokens

/// Why a command cannot do its work, in a sentence that says what to do.
struct StartFailure: Error, CustomStringConvertible {
  let description: String
}

extension StartFailure {
  /// The words for an error that ends a command: never the value of an error as Swift prints it.
  init(_ error: any Error) {
    switch error {
    case let failure as StartFailure: self = failure
    case let failure as ListenFailure: self.init(description: failure.detail)
    case let failure as CertificateFailure: self.init(description: failure.detail)
    case let error as StoreError: self.init(description: error.explanation)
    case let error as CurlError: self.init(description: "the network cannot be used: \(error)")
    case let refusal as TokenKeyRefusal: self.init(description: refusal.detail)
    default: self.init(description: "an unexpected error of the type \(type(of: error)) ended the command")
    }
  }
}
