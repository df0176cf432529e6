import PCMCore

/// The script that reports clicks on links with attribution attributes.
///
/// It runs in an isolated world, which shares the document and nothing else with the page's scripts.
package struct PageListener: Hashable, Sendable {
  /// The name of the isolated world.
  let world: String
  /// The name of the function that the script calls.
  let binding: String

  /// - Parameter token: Random letters and digits, so that two clients of one browser share no name.
  package init(token: String) {
    world = "pcm-browser-\(token)"
    binding = "pcmBrowser\(token)"
  }

  /// A click as the script saw it, after the listeners of the page.
  struct Click: Hashable {
    let href: String
    let sourceID: String?
    let destination: String?
    let nonce: String?
    let target: String?
    let hasGesture: Bool
    let isPrevented: Bool
    /// Whether it was read in a task, because a listener stopped the propagation. The navigation may have begun.
    let isLate: Bool

    /// Returns nil for text that the script did not write.
    init?(_ payload: String) {
      guard let json = JSON(parsing: Array(payload.utf8)), let href = json["href"]?.string else { return nil }
      self.href = href
      sourceID = json["sourceID"]?.string
      destination = json["destination"]?.string
      nonce = json["nonce"]?.string
      target = json["target"]?.string
      hasGesture = json["gesture"]?.flag ?? false
      isPrevented = json["prevented"]?.flag ?? false
      isLate = json["late"]?.flag ?? false
    }
  }

  /// A gesture is a trusted event, or a trusted input within the last second, for which WebKit forwards it to timers.
  ///
  /// The first listener on the window runs before those of the page. It adds another one, which is therefore the last, and
  /// reads the attributes as the page's listeners leave them. A task reads them when a listener stops the propagation.
  /// Texts are cut beyond the limits of the API, so that no page can exceed the limit of a message.
  var source: String {
    """
    (() => {
      const report = globalThis[\(JSON.string(binding).text)];
      if (!report) return;
      let input = -Infinity;
      const tasks = [];
      const channel = new MessageChannel();
      channel.port1.onmessage = () => tasks.shift()?.(true);
      const isLink = (node) => (node instanceof HTMLAnchorElement || node instanceof HTMLAreaElement) && node.href;
      const cut = (text) => text?.toWellFormed().slice(0, 9000) ?? null;
      const observe = (event) => {
        if (event.isTrusted) input = performance.now();
        if (event.type === "auxclick" && event.button !== 1) return;
        const link = event.composedPath().find(isLink);
        if (!link) return;
        const gesture = performance.now() - input < 1000;
        const value = (name) => cut(link.getAttribute(name));
        const finish = (isLate) => {
          removeEventListener(event.type, last);
          if (isDone) return;
          isDone = true;
          const [sourceID, destination] = [value("attributionsourceid"), value("attributiondestination")];
          if (sourceID === null && destination === null) return;
          report(JSON.stringify({
            href: cut(link.href), sourceID, destination, nonce: value("attributionsourcenonce"), target: value("target"),
            gesture, prevented: event.defaultPrevented, late: isLate,
          }));
        };
        let isDone = false;
        const last = () => finish(false);
        addEventListener(event.type, last);
        tasks.push(finish);
        channel.port2.postMessage(0);
      };
      for (const type of ["pointerdown", "pointerup", "mousedown", "mouseup", "keydown", "keyup", "touchend"]) {
        addEventListener(type, (event) => {
          if (event.isTrusted) input = performance.now();
        }, { capture: true, passive: true });
      }
      for (const type of ["click", "auxclick"]) addEventListener(type, observe, { capture: true });
    })()
    """
  }
}
