import PCMCore

/// Targets, frames, and contexts.
extension PageObserver {
  static func autoAttach(_ kinds: [JSON], session: String?) -> DevToolsCommand {
    DevToolsCommand(
      "Target.setAutoAttach",
      [
        "autoAttach": .bool(true), "waitForDebuggerOnStart": .bool(true), "flatten": .bool(true),
        "filter": .array(kinds.map { ["type": $0] }),
      ], session: session)
  }

  mutating func attached(_ params: JSON, parent: String?) {
    guard let session = params["sessionId"]?.string, let info = params["targetInfo"], let id = info["targetId"]?.string,
      let kind = info["type"]?.string
    else { return }
    let isForeign = context != nil && info["browserContextId"]?.string != nil && info["browserContextId"]?.string != context
    let kinds: Set<String> = ["page", "iframe", "worker", "shared_worker", "service_worker"]
    guard !isForeign, kinds.contains(kind) else {
      actions.append(.send(DevToolsCommand("Runtime.runIfWaitingForDebugger", session: session)))
      actions.append(.send(DevToolsCommand("Target.detachFromTarget", ["sessionId": .string(session)])))
      return
    }
    let url = bounded(info["url"]?.string ?? "")
    let page = kind == "page" ? id : self.page(of: parent)
    let target = Target(kind: kind, id: id, page: page, url: url, session: session)
    let left = targets.insert(target, for: session)
    if let left {
      drop(.tooManyTargets, left.url)
      endJourneys(of: left.id, .tooManyTargets)
    }
    let openerFrame = info["openerFrameId"]?.string
    let opener = openerFrame.flatMap { frames[$0]?.page } ?? info["openerId"]?.string
    if kind == "page" {
      let context = info["browserContextId"]?.string
      pages.insert(Page(session: session, context: context, opener: opener, url: url), for: id)
      // A tab in the background does not have a URL yet. The page of a user or a driver has a URL, such as about:blank.
      if opener != nil || url.isEmpty { adopt(NewWindow(page: id, opener: opener, context: context, attachedAt: time)) }
    }
    if let page, target.hasDocument {
      frames.insert(Frame(page: page, isTop: kind == "page", url: url), for: id)
    }
    observe(target)
  }

  /// Sends the commands of a new target, then lets it run.
  private mutating func observe(_ target: Target) {
    let session = target.session
    let send = { (method: String, params: JSON) -> Action in
      .send(DevToolsCommand(method, params, session: session))
    }
    // Bodies of requests are not needed.
    actions.append(send("Network.enable", ["maxPostDataSize": 0]))
    if target.hasDocument {
      let world = JSON.string(listener.world)
      let scripts = scripts
      actions += [
        send("Page.enable", [:]),
        // Without the runtime domain, no call of the binding arrives.
        send("Runtime.enable", [:]),
        send("Runtime.addBinding", ["name": .string(listener.binding), "executionContextName": world]),
        send(
          "Page.addScriptToEvaluateOnNewDocument",
          ["source": .string(scripts[listener.world]), "worldName": world, "runImmediately": .bool(true)]),
        send("Page.addScriptToEvaluateOnNewDocument", ["source": .string(scripts[""]), "runImmediately": .bool(true)]),
      ]
    }
    actions.append(.send(Self.autoAttach(target.hasDocument ? ["iframe", "worker"] : ["worker"], session: session)))
    if target.hasDocument { actions.append(Self.askForFrames(of: session, isRoundTrip: false)) }
    actions.append(send("Runtime.runIfWaitingForDebugger", [:]))
  }

  /// The scripts of a document by the name of their world. The name of the page's own world is empty.
  private var scripts: [String: String] {
    [listener.world: listener.source, "": PageGestures.source + ";" + PageProperties.source]
  }

  /// Runs the scripts in the second document of a frame if it has the window of the first document. Otherwise, the contexts
  /// have ended.
  private mutating func runScriptsAgain(_ frame: String, _ session: String) {
    for (world, context) in (frames[frame]?.firstContexts ?? [:]).sorted(by: { $0.key < $1.key }) {
      let params: JSON = [
        "expression": .string(scripts[world]), "uniqueContextId": .string(context), "silent": .bool(true),
      ]
      actions.append(.send(DevToolsCommand("Runtime.evaluate", params, session: session)))
    }
    frames.update(frame) { $0.firstContexts = nil }
  }

  mutating func detached(_ params: JSON) {
    guard let session = params["sessionId"]?.string, let target = targets.remove(session) else { return }
    if target.kind == "page" {
      pages.remove(target.id)
      for journey in journeys where journey.landingPage == target.id { end(journey, .navigationAborted) }
      endJourneys(of: target.id, .noNavigation)
      endLoads { $0.page == target.id }
    } else if target.kind != "iframe" {
      endLoads { $0.page == target.page && $0.frame == nil }
    }
  }

  mutating func crashed(_ session: String) {
    guard let target = targets[session] else { return }
    endLoads { $0.page == target.id || $0.frame == target.id }
    targets.update(session) { $0.isCrashed = true }
    endJourneys(of: target.id, .pageCrashed)
  }

  mutating func frameAttached(_ params: JSON, _ session: String) {
    guard let frame = params["frameId"]?.string, let page = self.page(of: session), frames[frame]?.isTop != true else { return }
    frames.insert(Frame(page: page), for: frame)
  }

  mutating func frameDetached(_ params: JSON) {
    // A frame that moves to another process still exists.
    guard params["reason"]?.string != "swap", let frame = params["frameId"]?.string else { return }
    endLoads { $0.frame == frame }
  }

  mutating func framesListed(_ tree: JSON, _ session: String) {
    guard let page = self.page(of: session), let frame = tree["frame"], let id = frame["id"]?.string else { return }
    if id == page {
      // A tab in the background may have navigated before its attachment.
      let url = bounded(frame["url"]?.string ?? "")
      pages.update(page) { $0.url = url }
      if !url.isEmpty, url != "about:blank" { committed(frame, page: page, url: url, isListed: true) }
      flushLanded()
    } else {
      frames.insert(Frame(page: page, url: frame["url"]?.string.map(bounded)), for: id)
    }
    // Messages have at most 64 levels, so the depth is bounded.
    for child in tree["childFrames"]?.items ?? [] { framesListed(child, session) }
  }

  mutating func frameNavigated(_ frame: JSON, _ session: String) {
    guard let id = frame["id"]?.string, let page = self.page(of: session) else { return }
    let isTop = id == page
    runScriptsAgain(id, session)
    targets.update(session) { $0.isCrashed = false }
    endLoads { isTop ? $0.page == page : $0.frame == id }
    if let loader = frame["loaderId"]?.string { unansweredLoads.remove(loader) }
    guard isTop else {
      frames.insert(Frame(page: page, url: frame["url"]?.string.map(bounded), firstContexts: nil), for: id)
      return
    }
    let url = bounded((frame["url"]?.string ?? "") + (frame["urlFragment"]?.string ?? ""))
    pages.update(page) { page in
      page.previousURL = page.url
      page.url = url
    }
    committed(frame, page: page, url: url, isListed: false)
  }

  /// Handles `document.open()`, after which a document has the URL of the calling script's document.
  mutating func documentOpened(_ frame: JSON) {
    guard let id = frame["id"]?.string, let url = frame["url"]?.string.map(bounded) else { return }
    if frames[id]?.isTop == true { pages.update(id) { $0.url = url } }
    frames.update(id) { $0.url = url }
  }

  mutating func navigatedWithinDocument(_ params: JSON) {
    guard let frame = params["frameId"]?.string, frames[frame]?.isTop == true, let url = params["url"]?.string else { return }
    let known = bounded(url)
    pages.update(frame) { $0.url = known }
    if let journey = journeys.last(where: {
      $0.landingPage == frame && $0.phase == .requested && $0.url == withoutFragment(url)
    }) {
      fail(journey.number, .noNavigation)
    }
  }

  mutating func contextCreated(_ context: JSON, _ session: String) {
    guard let name = context["name"]?.string, let number = context["id"]?.integer,
      let frame = context["auxData"]?["frameId"]?.string
    else { return }
    if name == listener.world { contexts.insert(frame, for: ContextKey(session: session, number: number)) }
    if name == listener.world || context["auxData"]?["isDefault"]?.flag == true {
      frames.update(frame) { $0.firstContexts?[name] = context["uniqueId"]?.string }
    }
  }
}
