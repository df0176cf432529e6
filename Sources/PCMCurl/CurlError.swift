import CCurl
import PCMDelivery

/// A call that did not do what it was told, or a request that cannot be handed to libcurl.
package struct CurlError: Error, CustomStringConvertible {
  /// How it is recorded with the request that it befell.
  let failure: TransportFailure

  init(_ failure: TransportFailure) {
    self.failure = failure
  }

  init(call: String, text: String) {
    self.init(TransportFailure(.connectionFailed, "\(call): \(text)"))
  }

  package var description: String { failure.detail }
}

/// The check behind every call on an easy handle.
func check(_ code: CURLcode, _ call: @autoclosure () -> String) throws(CurlError) {
  guard code == CURLE_OK else { throw CurlError(call: call(), text: String(cString: curl_easy_strerror(code))) }
}

/// The check behind every call on a multi handle.
func check(_ code: CURLMcode, _ call: @autoclosure () -> String) throws(CurlError) {
  guard code == CURLM_OK else { throw CurlError(call: call(), text: String(cString: curl_multi_strerror(code))) }
}

/// The check behind every call on a share handle.
func check(_ code: CURLSHcode, _ call: @autoclosure () -> String) throws(CurlError) {
  guard code == CURLSHE_OK else { throw CurlError(call: call(), text: String(cString: curl_share_strerror(code))) }
}

/// The check behind every call on a parsed URL.
func check(_ code: CURLUcode, _ call: @autoclosure () -> String) throws(CurlError) {
  guard code == CURLUE_OK else { throw CurlError(call: call(), text: String(cString: curl_url_strerror(code))) }
}

extension TransportFailure.Code {
  /// What a transfer's result means to somebody who reads the record of it.
  init(_ result: CURLcode) {
    self =
      switch result {
      case CURLE_URL_MALFORMAT: .urlRefused
      // A malformed `resolve` entry shows as a syntax error of the option.
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_SETOPT_OPTION_SYNTAX: .nameNotResolved
      case CURLE_COULDNT_CONNECT, CURLE_FAILED_INIT, CURLE_OUT_OF_MEMORY: .connectionFailed
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS: .certificateRefused
      case CURLE_SSL_CACERT_BADFILE: .authoritiesUnreadable
      case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED,
        CURLE_SSL_ENGINE_INITFAILED:
        .tlsFailed
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      // The abort by a callback is our own: see `EasyHandle.admitRequest`.
      case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2_STREAM,
        CURLE_SSL_SHUTDOWN_FAILED, CURLE_ABORTED_BY_CALLBACK:
        .connectionLost
      // An unsupported protocol among them: the URL's was checked before, so it is that of the answer.
      default: .protocolError
      }
  }
}
