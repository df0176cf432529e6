package import PCMCore

/// The requests of a device, as they appear on the wire.
package enum DeviceRequest {
  /// Returns the request for a postback: a POST with JSON.
  package static func postback(url: String, body: String) -> OutgoingRequest {
    OutgoingRequest(
      method: .post, url: url,
      headers: [
        OutgoingRequest.Header("Content-Type", "application/json"), OutgoingRequest.Header("User-Agent", userAgent),
      ],
      body: Array(body.utf8))
  }

  /// Returns the request for the signed values of a web ad (SKAdNetwork reference, section 2.3).
  package static func signedPayload(url: String, body: JSON) -> OutgoingRequest { postback(url: url, body: body.text) }

  /// Returns a request of a measurement SDK.
  package static func sdk(url: String, body: String) -> OutgoingRequest {
    OutgoingRequest(
      method: .post, url: url,
      headers: [
        OutgoingRequest.Header("Content-Type", "application/json"), OutgoingRequest.Header("User-Agent", sdkUserAgent),
      ],
      body: Array(body.utf8))
  }

  /// Returns whether a device sent the request: a postback, or a request for the signed values of a web ad.
  package static func isFromDevice(_ request: OutgoingRequest) -> Bool {
    request.headers.contains(OutgoingRequest.Header("User-Agent", userAgent))
  }

  /// Returns whether a measurement SDK sent the request.
  package static func isFromSDK(_ request: OutgoingRequest) -> Bool {
    request.headers.contains(OutgoingRequest.Header("User-Agent", sdkUserAgent))
  }

  /// Returns whether a device requests the signed values of a web ad.
  package static func isSignedPayload(_ request: OutgoingRequest) -> Bool {
    isFromDevice(request) && request.url.hasSuffix(signedPayloadPath)
  }

  private static let signedPayloadPath = "/.well-known/skadnetwork/get-signed-payload"

  /// The user agent of postbacks. Apple does not document their headers, but a recorded postback named the App Store.
  package static let userAgent = "App Store"

  /// The requests only model the requests of an SDK.
  private static let sdkUserAgent = "pcm-browser-sdk"
}
