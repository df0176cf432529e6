import PCMNetwork

extension CheckContext {
  /// The requests with postbacks.
  func postbacks(of probe: Probe) -> [ProbeRequest] {
    guard let postbacks = options.postbacks else { return [] }
    return postbacks.bodies(of: probe).map { body in
      let plain = DeviceRequest.postback(url: postbacks.url, body: "")
      var (method, headers, bytes) = (plain.method, plain.headers, Optional(body.bytes))
      switch probe {
      case .getPostback:
        (method, bytes) = (.get, nil)
        headers.removeAll { $0.name == "Content-Type" }
      case .postbackFromOtherAgent: headers.removeAll { $0.name == "User-Agent" }
      case .postbackAsText:
        headers = headers.map { $0.name == "Content-Type" ? .init("Content-Type", "text/plain") : $0 }
      default: break
      }
      return ProbeRequest(
        OutgoingRequest(method: method, url: plain.url, headers: headers, body: bytes),
        ConnectionTerms(offersHTTP2: probe != .postbackOverHTTP1))
    }
  }
}
