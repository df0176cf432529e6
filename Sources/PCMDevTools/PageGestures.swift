/// The script that decides whether a scripted click belongs to a user gesture, as WebKit does.
///
/// It runs in the world of the page's scripts, the only world in which it can wrap the functions that propagate a gesture. A
/// gesture lasts for the task of a trusted input and its microtasks. WebKit propagates it to timers whose delays add up to at
/// most one second, animation frames, idle callbacks, messages of windows and of dedicated workers, the load events of
/// scripts, and `popstate`. Other callbacks, such as for the network, have no gesture, so their functions are not wrapped.
///
/// A gesture belongs to the user and not to a document. Documents of the same origin can call each other within a task, so
/// the script asks them. Windows of any origin receive the start and the end of a gesture in ordered messages, which are
/// hidden from all other listeners.
///
/// ``PageListener`` asks by an event of the document, which both worlds share. The names are constant, so that a document
/// that is attached again does not get a second script.
enum PageGestures {
  /// The name of the event that asks. During a gesture, a listener cancels the event.
  static let question = "pcm-browser-gesture"

  static let source = """
    (() => {
      const [question, here, mark] = ["\(question)", "\(question)-here", "\(question):"];
      // A page may use these names.
      const { Event, Proxy, Reflect, MutationObserver, performance, scheduler, postMessage, requestAnimationFrame } = globalThis;
      const isTrue = (place, name) => !place.dispatchEvent(new Event(name, { cancelable: true }));
      // The second document of a window keeps the listeners of the window.
      if (isTrue(globalThis, here + "?")) return;
      const [limit, shortest] = [1000, 4];
      // The sum of the delays since the input, or null without a gesture.
      let spent = null;
      let traversal = null;
      const tasks = new MessageChannel();
      tasks.port1.onmessage = () => end();
      const [windows, senders, replies, scripts] = [new Set(), new WeakMap(), new WeakMap(), new WeakMap()];
      function* tree(root) {
        yield root;
        for (let index = 0; index < root.length; index++) yield* tree(root[index]);
      }
      const related = () => {
        for (const view of windows) if (view.closed) windows.delete(view);
        return new Set([...tree(top), ...(opener ? [opener] : []), ...windows]);
      };
      const tell = (place, text) => {
        try {
          Reflect.apply(postMessage, place, [mark + text, "*"]);
        } catch {}
      };
      const begin = (cost) => {
        const isNew = spent === null;
        spent = Math.min(spent ?? cost, cost);
        if (!isNew) return;
        insertions.observe(document, { childList: true, subtree: true });
        for (const place of related()) tell(place, spent);
        // The callbacks of a frame can precede any other task, and a page in the background has no frames and delays such a task.
        requestAnimationFrame(end);
        scheduler.postTask(end, { priority: "user-blocking" });
        tasks.port2.postMessage(0);
      };
      const end = () => {
        if (spent === null) return;
        noteScripts(insertions.takeRecords());
        insertions.disconnect();
        spent = null;
        for (const place of related()) tell(place, "");
      };
      // Returns a function that continues the gesture once, after a delay or the time that has passed.
      const kept = (delay) => {
        const [start, before] = [performance.now(), spent];
        let isOver = false;
        return () => {
          const cost = before + (delay ?? performance.now() - start);
          if (!isOver && cost <= limit) begin(cost);
          isOver = true;
        };
      };
      const wrap = (owner, name, before, after = (result) => result) => {
        if (!owner?.[name]) return;
        owner[name] = new Proxy(owner[name], {
          apply(native, self, values) {
            if (spent === null) return Reflect.apply(native, self, values);
            before(values, self);
            return after(Reflect.apply(native, self, values));
          },
        });
      };
      const wrapCallback = (name, delay) => wrap(globalThis, name, (values) => {
        const [callback, resume] = [values[0], kept(delay(values))];
        values[0] = function (...results) {
          resume();
          return typeof callback === "function" ? Reflect.apply(callback, this, results) : (0, eval)(`${callback}`);
        };
      });
      for (const name of ["setTimeout", "setInterval"]) {
        wrapCallback(name, (values) => Math.max(Number(values[1]) || 0, shortest));
      }
      // A frame counts as a sixtieth of a second, so that a busy machine changes nothing.
      for (const name of ["requestAnimationFrame", "requestIdleCallback"]) wrapCallback(name, () => 1000 / 60);
      for (const name of ["back", "forward", "go"]) wrap(History.prototype, name, () => (traversal = kept(0)));
      // A small digest, or blob, is there before the task ends, and WebKit's is not.
      const results = ["text", "arrayBuffer", "bytes", ...Object.keys(globalThis.SubtleCrypto?.prototype ?? {})];
      for (const prototype of [Blob.prototype, globalThis.SubtleCrypto?.prototype]) {
        for (const name of results) {
          wrap(prototype, name, () => {}, (result) => {
            result.then(end, end);
            return result;
          });
        }
      }
      wrap(Worker.prototype, "postMessage", (_, worker) => replies.set(worker, kept()));
      const onCreation = (name, prepare) => {
        if (!globalThis[name]) return;
        globalThis[name] = globalThis[name].prototype.constructor = new Proxy(globalThis[name], {
          construct(native, values, self) {
            const made = Reflect.construct(native, values, self);
            prepare(made);
            return made;
          },
        });
      };
      onCreation("Worker", (worker) => worker.addEventListener("message", () => {
        replies.get(worker)?.();
        replies.delete(worker);
      }));
      const onTrusted = (action) => (event) => {
        if (event.isTrusted) action();
      };
      const [acted, rendered] = [onTrusted(() => begin(0)), onTrusted(end)];
      // A message of a channel can precede the end of the task that sends it.
      const endAt = (port) => port.addEventListener("message", rendered);
      onCreation("BroadcastChannel", endAt);
      onCreation("SharedWorker", ({ port }) => endAt(port));
      onCreation("MessageChannel", ({ port1, port2 }) => [port1, port2].forEach(endAt));
      const noteScripts = (changes) => {
        for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
          const inner = node.querySelectorAll?.("script") ?? [];
          for (const script of node instanceof HTMLScriptElement ? [node] : inner) scripts.set(script, kept());
        }
      };
      const insertions = new MutationObserver((changes) => {
        if (spent !== null) noteScripts(changes);
      });
      const received = (event) => {
        const { data, source } = event;
        event.ports.forEach(endAt);
        if (typeof data === "string" && data.startsWith(mark)) {
          event.stopImmediatePropagation();
          const text = data.slice(mark.length);
          if (!source) return;
          if (text === "join") windows.add(source);
          else if (text) senders.set(source, { cost: Number(text) + shortest, time: performance.now() });
          else senders.delete(source);
        } else {
          const sender = source && senders.get(source);
          if (sender && performance.now() - sender.time < limit && sender.cost <= limit) begin(sender.cost);
        }
      };
      const traversed = () => {
        traversal?.();
        traversal = null;
      };
      const loaded = ({ target }) => scripts.get(target)?.();
      const isActiveIn = (place) => {
        try {
          return isTrue(place.document, here);
        } catch {
          return false;
        }
      };
      const answer = (isActive) => (event) => {
        if (isActive()) event.preventDefault();
      };
      const answers = {
        [here]: answer(() => spent !== null),
        [question]: answer(() => spent !== null || [...related()].some(isActiveIn)),
      };
      const inputs = ["pointerdown", "pointerup", "mousedown", "mouseup", "keydown", "keyup", "touchend", "click", "auxclick", "change"];
      const frames = ["transitionrun", "transitionstart", "transitionend", "animationstart", "animationend", "scroll", "resize"];
      const listen = () => {
        for (const type of inputs) addEventListener(type, acted, { capture: true, passive: true });
        for (const type of frames) addEventListener(type, rendered, { capture: true, passive: true });
        addEventListener("message", received, true);
        addEventListener("popstate", traversed, true);
        document.addEventListener("load", loaded, true);
        addEventListener(here + "?", known);
        for (const name in answers) document.addEventListener(name, answers[name]);
      };
      let watched = null;
      const watch = () => {
        if (watched === document) return true;
        watched = document;
        listen();
        // `document.open()` removes the listeners, and then the root element.
        new MutationObserver(listen).observe(document, { childList: true });
        return true;
      };
      const known = answer(watch);
      watch();
      if (opener) tell(opener, "join");
    })()
    """
}
