import PCMCore

/// The script that reports clicks on links with attribution attributes.
///
/// It runs in an isolated world, which shares only the document with the page's scripts.
package struct PageListener: Hashable, Sendable {
  /// The name of the isolated world.
  let world: String
  /// The name of the function that the script calls.
  let binding: String

  /// - Parameter token: Random letters and digits, which keep the names of a browser's clients distinct.
  package init(token: String) {
    world = "pcm-browser-\(token)"
    binding = "pcmBrowser\(token)"
  }

  /// A report about a click. The script sends several: when the click begins, after each listener of the page that changes
  /// the link, and after all listeners. A document that goes away does not send the last report.
  struct Click: Hashable {
    /// The number of the click in its document.
    let number: Int64
    let isFirst: Bool
    /// Whether all listeners of the page have run.
    let isFinal: Bool
    /// The URL of the document with the link; nil in a frame.
    let pageURL: String?
    let href: String
    let sourceID: String?
    let destination: String?
    let nonce: String?
    let target: String?
    let hasGesture: Bool
    let isPrevented: Bool
    /// The reason a click on an element that resembles a measured link is not measured; nil for a link with attributes.
    let code: DroppedClick?

    /// Returns nil for a payload that the script did not write.
    init?(_ payload: String) {
      guard let json = JSON(parsing: Array(payload.utf8), keepingNumbers: true), let href = json["href"]?.string,
        let number = json["number"]?.integer
      else { return nil }
      self.number = number
      isFirst = json["first"]?.flag ?? false
      isFinal = json["final"]?.flag ?? false
      pageURL = json["page"]?.string
      self.href = href
      sourceID = json["sourceID"]?.string
      destination = json["destination"]?.string
      nonce = json["nonce"]?.string
      target = json["target"]?.string
      hasGesture = json["gesture"]?.flag ?? false
      isPrevented = json["prevented"]?.flag ?? false
      code = json["code"]?.string.flatMap(DroppedClick.init)
    }
  }

  /// A trusted event is a gesture. ``PageGestures`` decides whether a scripted click belongs to a gesture.
  ///
  /// The first listener on the window runs before the page's listeners. It adds another listener, which therefore runs last
  /// and reads the attributes after the page's changes. If a listener stops the propagation, a task reads the attributes, but
  /// a document that navigates may not run the task. Therefore the script reports the click when it begins and whenever its
  /// attributes change.
  ///
  /// `document.open()` removes all listeners, and then the root element, so each change of the root adds the listeners again.
  /// The script can run several times in a window: when a document begins while the script is added, and in a second document
  /// with the window of the first document. It adds its listeners once.
  ///
  /// Texts are truncated just above the limits of the API, so that no page can exceed the limit of a message.
  var source: String {
    """
    (() => {
      const report = globalThis[\(JSON.string(binding).text)];
      if (!report || globalThis.observe) return globalThis.observe?.();
      let [clicks, observed] = [0, null];
      const tasks = [];
      const channel = new MessageChannel();
      channel.port1.onmessage = () => tasks.shift()?.();
      const isLink = (node) => (node instanceof HTMLAnchorElement || node instanceof HTMLAreaElement) && node.href;
      const cut = (text) => text?.toWellFormed().slice(0, 9000) ?? null;
      const isGesture = (event) => event.isTrusted
        || !document.dispatchEvent(new Event("\(PageGestures.question)", { cancelable: true }));
      const send = (values) => report(JSON.stringify({ page: top === self ? cut(document.URL) : null, ...values }));
      const [id, place] = ["attributionsourceid", "attributiondestination"];
      const miss = (path, link) => {
        const has = (prefix) => path.find((node) => node instanceof Element
          && (node.hasAttributeNS(null, prefix + id) || node.hasAttributeNS(null, prefix + place)));
        const [node, prefix, code] = has("") ? [has(""), "", "not-a-link"] : [has("data-"), "data-", "data-attributes"];
        const href = cut(link?.href ?? document.URL);
        if (node) send({ number: 0, final: true, code, href, destination: cut(node.getAttributeNS(null, prefix + place)) });
      };
      const noted = new WeakSet();
      const note = (event) => {
        if (event.type === "auxclick" && event.button !== 1 || noted.has(event)) return;
        noted.add(event);
        const path = event.composedPath();
        const [link, gesture, number] = [path.find(isLink), isGesture(event), ++clicks];
        if (!link) return gesture && miss(path);
        const value = (name) => cut(link.getAttributeNS(null, name));
        let [isReported, isDone] = [false, false];
        const tell = (final) => {
          const [sourceID, destination] = [value(id), value(place)];
          if (sourceID === null && destination === null && !isReported) return final && gesture && miss(path, link);
          const target = value("target") || cut(document.querySelector("base[target]")?.getAttribute("target"));
          send({
            number, first: !isReported, final, href: cut(link.href), sourceID, destination,
            nonce: value("attributionsourcenonce"), target, gesture, prevented: event.defaultPrevented,
          });
          isReported = true;
        };
        const changes = new MutationObserver(() => tell(false));
        const finish = () => {
          removeEventListener(event.type, finish);
          changes.disconnect();
          if (isDone) return;
          isDone = true;
          tell(true);
        };
        changes.observe(link, { attributes: true });
        tell(false);
        addEventListener(event.type, finish);
        tasks.push(finish);
        channel.port2.postMessage(0);
      };
      const noteOutside = ({ relatedTarget }) => relatedTarget?.getRootNode().addEventListener("click", note, { capture: true });
      const listen = () => {
        for (const type of ["click", "auxclick"]) addEventListener(type, note, { capture: true });
        document.addEventListener("\(PageProperties.outsideClick)", noteOutside);
      };
      globalThis.observe = () => {
        if (observed === document) return;
        observed = document;
        listen();
        new MutationObserver(listen).observe(document, { childList: true });
      };
      globalThis.observe();
    })()
    """
  }
}
