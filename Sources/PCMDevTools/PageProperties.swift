/// The script that adapts the properties of links and elements for the page's scripts, in their world.
///
/// Links get the properties that Safari has and Chromium lacks. They reflect the attributes as in WebKit's
/// `HTMLAnchorElement.idl`: a number is an unsigned long (HTML Standard, "Reflecting content attributes in IDL attributes").
///
/// Chromium hides a closed shadow tree from ``PageListener``. Therefore, a closed tree that a script creates is an open tree
/// that `shadowRoot` does not return.
///
/// A click on an element outside the document reaches no listener of the window, so the script announces the element first.
enum PageProperties {
  /// The name of the event that announces a click. Its related target is the element.
  static let outsideClick = "pcm-browser-click-outside"

  static let source = """
    (() => {
      const [read, write] = [Element.prototype.getAttribute, Element.prototype.setAttribute];
      const reflect = (name, from = (text) => text ?? "", to = (value) => `${value}`) => {
        if (name in HTMLAnchorElement.prototype) return;
        Object.defineProperty(HTMLAnchorElement.prototype, name, {
          configurable: true, enumerable: true,
          get() { return from(read.call(this, name.toLowerCase())); },
          set(value) { write.call(this, name.toLowerCase(), to(value)); },
        });
      };
      const limited = (number) => (number <= 0x7fffffff ? number : 0);
      const number = (text) => limited(Number(/^[\\t\\n\\f\\r ]*\\+?(\\d+)/.exec(text ?? "")?.[1] ?? 0));
      reflect("attributionSourceId", number, (value) => `${limited(value >>> 0)}`);
      reflect("attributionDestination");
      reflect("attributionSourceNonce");

      const [Related, tell] = [MouseEvent, document.dispatchEvent];
      for (const [prototype, name] of [[HTMLElement.prototype, "click"], [EventTarget.prototype, "dispatchEvent"]]) {
        prototype[name] = new Proxy(prototype[name], {
          apply(native, self, values) {
            const home = self?.ownerDocument;
            if (home && !(self.isConnected && home.defaultView)) {
              Reflect.apply(tell, document, [new Related("\(outsideClick)", { relatedTarget: self })]);
            }
            return Reflect.apply(native, self, values);
          },
        });
      }

      const closed = new WeakSet();
      const attach = Element.prototype.attachShadow;
      Element.prototype.attachShadow = new Proxy(attach, {
        apply(native, host, values) {
          if (values[0]?.mode !== "closed") return Reflect.apply(native, host, values);
          try {
            const root = Reflect.apply(native, host, [{ ...values[0], mode: "open" }]);
            closed.add(root);
            return root;
          } catch {
            // The markup may have a closed tree, which keeps its mode.
            return Reflect.apply(native, host, values);
          }
        },
      });
      const hide = (prototype, name, shown) => {
        const property = Object.getOwnPropertyDescriptor(prototype, name);
        const get = new Proxy(property.get, { apply: (native, self) => shown(Reflect.apply(native, self, []), self) });
        Object.defineProperty(prototype, name, { ...property, get });
      };
      hide(Element.prototype, "shadowRoot", (root) => (closed.has(root) ? null : root));
      hide(ShadowRoot.prototype, "mode", (mode, root) => (closed.has(root) ? "closed" : mode));
    })()
    """
}
