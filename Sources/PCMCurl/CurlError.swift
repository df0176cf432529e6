import CCurl
import PCMNetwork

/// A failed libcurl call, or a request that libcurl cannot send.
package struct CurlError: Error, CustomStringConvertible {
  /// The failure to record for the affected request.
  let failure: TransportFailure

  init(_ failure: TransportFailure) {
    self.failure = failure
  }

  init(call: String, text: String) {
    self.init(TransportFailure(.connectionFailed, "\(call): \(text)"))
  }

  package var description: String { failure.detail }
}

/// Checks the result of a call on an easy handle.
func check(_ code: CURLcode, _ call: @autoclosure () -> String) throws(CurlError) {
  guard code == CURLE_OK else { throw CurlError(call: call(), text: String(cString: curl_easy_strerror(code))) }
}

/// Checks the result of a call on a multi handle.
func check(_ code: CURLMcode, _ call: @autoclosure () -> String) throws(CurlError) {
  guard code == CURLM_OK else { throw CurlError(call: call(), text: String(cString: curl_multi_strerror(code))) }
}

/// Checks the result of a call on a parsed URL.
func check(_ code: CURLUcode, _ call: @autoclosure () -> String) throws(CurlError) {
  guard code == CURLUE_OK else { throw CurlError(call: call(), text: String(cString: curl_url_strerror(code))) }
}

extension TransportFailure.Code {
  /// The code to record for the result of a transfer.
  init(_ result: CURLcode) {
    self =
      switch result {
      case CURLE_URL_MALFORMAT: .urlRefused
      // libcurl reports a malformed `resolve` entry as a syntax error of the option.
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_SETOPT_OPTION_SYNTAX: .nameNotResolved
      case CURLE_COULDNT_CONNECT, CURLE_FAILED_INIT, CURLE_OUT_OF_MEMORY: .connectionFailed
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS: .certificateRefused
      case CURLE_SSL_CACERT_BADFILE: .authoritiesUnreadable
      case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED,
        CURLE_SSL_ENGINE_INITFAILED:
        .tlsFailed
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      // Only `EasyHandle.admitRequest` aborts by a callback.
      case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2_STREAM,
        CURLE_SSL_SHUTDOWN_FAILED, CURLE_ABORTED_BY_CALLBACK:
        .connectionLost
      // Includes an unsupported protocol of the response: the protocol of the URL was checked before.
      default: .protocolError
      }
  }
}
