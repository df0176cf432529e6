import CCurl

/// The same requests in a loop around libcurl's multi interface and nothing else: the limit of the machine.
enum BareCurl {
  private static let parallel: Int = 100

  /// Requests answered per second.
  static func rate(port: String, caFile: String, count: Int, fresh: Bool) throws -> Int {
    let transfers = Transfers(port: port, caFile: caFile, fresh: fresh)
    let watch = Stopwatch()
    transfers.run(count)
    if transfers.answered != count { print("libcurl-answered-only \(transfers.answered)") }
    return Int(Double(transfers.answered) / watch.seconds)
  }

  private final class Transfers {
    private let multi = curl_multi_init()
    private let headers = curl_slist_append(nil, "Content-Type: application/json")
    private let route: UnsafeMutablePointer<curl_slist>?
    private let caFile: String
    private let fresh: Bool
    private(set) var answered = 0

    init(port: String, caFile: String, fresh: Bool) {
      route = curl_slist_append(nil, "::127.0.0.1:\(port)")
      self.caFile = caFile
      self.fresh = fresh
    }

    deinit {
      curl_slist_free_all(headers)
      curl_slist_free_all(route)
      curl_multi_cleanup(multi)
    }

    func run(_ count: Int) {
      var started = 0
      while started < min(BareCurl.parallel, count) {
        curl_multi_add_handle(multi, handle())
        started += 1
      }
      var running: Int32 = 1
      while running > 0 {
        curl_multi_perform(multi, &running)
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
          guard let easy = message.pointee.easy_handle else { continue }
          if pcm_message_result(message) == CURLE_OK { answered += 1 }
          curl_multi_remove_handle(multi, easy)
          guard started < count else {
            curl_easy_cleanup(easy)
            continue
          }
          started += 1
          curl_multi_add_handle(multi, easy)
          running += 1
        }
        curl_multi_poll(multi, nil, 0, 100, nil)
      }
    }

    private func handle() -> UnsafeMutableRawPointer? {
      guard let easy = curl_easy_init() else { return nil }
      let body =
        #"{"source_engagement_type":"click","source_site":"news.example","source_id":4,"attributed_on_site":"shop.example","trigger_data":12,"version":3}"#
      let url = "https://news.example/.well-known/private-click-measurement/report-attribution/"
      _ = pcm_easy_set_text(easy, CURLOPT_URL, url)
      _ = pcm_easy_set_text(easy, CURLOPT_COPYPOSTFIELDS, body)
      _ = pcm_easy_set_text(easy, CURLOPT_CAINFO, caFile)
      _ = pcm_easy_set_text(easy, CURLOPT_CAPATH, nil)
      _ = pcm_easy_set_list(easy, CURLOPT_HTTPHEADER, headers)
      _ = pcm_easy_set_list(easy, CURLOPT_CONNECT_TO, route)
      _ = pcm_easy_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
      _ = pcm_easy_set_long(easy, CURLOPT_FRESH_CONNECT, fresh ? 1 : 0)
      _ = pcm_easy_set_long(easy, CURLOPT_FORBID_REUSE, fresh ? 1 : 0)
      _ = pcm_easy_set_long(easy, CURLOPT_SSL_SESSIONID_CACHE, fresh ? 0 : 1)
      _ = pcm_easy_set_long(easy, CURLOPT_PIPEWAIT, fresh ? 0 : 1)
      _ = pcm_easy_set_write_function(easy) { _, size, count, _ in size * count }
      return easy
    }
  }
}
