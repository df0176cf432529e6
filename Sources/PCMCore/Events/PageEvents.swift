extension EventKind {
  /// The pages of a real browser are observed.
  package static let pageAttached = Self("page-attached")
  /// A click on a measured link led to no page.
  package static let pageClickDropped = Self("page-click-dropped")
  /// The observed browser went away.
  package static let attachmentLost = Self("attachment-lost")
}

extension EventType {
  static let pages = [
    EventType(.pageAttached, PageObserved.self), EventType(.pageClickDropped, PageObserved.self),
    EventType(.attachmentLost, PageObserved.self),
  ]
}

/// An observation in a real browser that is neither a click nor a triggering event.
package struct PageObserved: BrowserEvent {
  package let kind: EventKind
  /// A sentence without a period.
  package let text: String
  /// Why a click was dropped; nil for another kind.
  package let code: DroppedClick?
  /// The link, or the URL that was requested.
  package let href: String?
  /// The page with the link.
  package let page: String?
  /// The destination of the link; nil when the attribute is not a URL.
  package let destination: Site?

  package init(
    _ kind: EventKind, text: String, code: DroppedClick? = nil, href: String? = nil, page: String? = nil,
    destination: Site? = nil
  ) {
    (self.kind, self.text, self.code, self.href, self.page) = (kind, text, code, href, page)
    self.destination = destination
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    kind = members.kind
    code = try members.ifPresent("code", event?.code, .word())
    href = try members.ifPresent("href", event?.href, .text)
    page = try members.ifPresent("pageURL", event?.page, .text)
    destination = try members.ifPresent("destinationSite", event?.destination, .site)
    text = try members.required("text", event?.text, .text)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] { destination.map { [.site($0)] } ?? [] }
}

/// Why the observer of a real browser does not report a click or a request.
package enum DroppedClick: String, Hashable, Sendable, CaseIterable {
  /// A listener of the page prevented the link's navigation.
  case defaultPrevented = "default-prevented"
  /// The link navigates a frame, and WebKit measures only navigations of the main frame.
  case navigatesAFrame = "navigates-a-frame"
  /// The link of a frame opens a window, which WebKit does not measure.
  case newWindowFromAFrame = "new-window-from-a-frame"
  case navigationAborted = "navigation-aborted"
  /// The browser showed an error page.
  case landingFailed = "landing-failed"
  /// The link led to a document without an http or https URL.
  case landingNotHTTP = "landing-not-http"
  case download
  /// The link led to no navigation of a document, such as a fragment of the page.
  case noNavigation = "no-navigation"
  /// Another navigation began before the navigation of the link committed.
  case superseded
  /// The oldest of too many clicks that wait for a landing.
  case tooManyClicks = "too-many-clicks"
  /// The oldest of too many targets, which is no longer observed.
  case tooManyTargets = "too-many-targets"
  /// More calls wait for the service than are kept.
  case tooManyCalls = "too-many-calls"
  /// The process of the page ended before the landing.
  case pageCrashed = "page-crashed"
  /// The attachment ended before the landing.
  case attachmentEnded = "attachment-ended"
  /// An element that is no link has the attributes.
  case notALink = "not-a-link"
  /// The attributes have the prefix `data-`.
  case dataAttributes = "data-attributes"
  /// A click, or a redirect to the trigger path, in a page that is not known.
  case unknownPage = "unknown-page"

  /// A sentence without a period.
  package var text: String {
    switch self {
    case .defaultPrevented: "a listener of the page prevented the navigation of the link"
    case .navigatesAFrame: "the link navigates a frame, and WebKit measures navigations of the main frame only"
    case .newWindowFromAFrame: "the link of a frame opens a window, which WebKit does not measure"
    case .navigationAborted: "the navigation was aborted before a page committed"
    case .landingFailed: "the browser showed an error page instead of the landing page"
    case .landingNotHTTP: "the link led to a document without an http or https URL"
    case .download: "the link led to a download"
    case .noNavigation: "the link led to no navigation of a document"
    case .superseded: "another navigation began before this one committed a page"
    case .tooManyClicks: "too many clicks wait for their landing"
    case .tooManyTargets: "too many pages and workers are open"
    case .tooManyCalls: "too many observations wait for the service"
    case .pageCrashed: "the process of the page ended before the landing"
    case .attachmentEnded: "the attachment ended before the landing"
    case .notALink:
      "the attributes are not on a link that was followed; WebKit reads them from an HTML link with href, not from a button, "
        + "an image, or an SVG link"
    case .dataAttributes: "the attributes have the prefix data-; WebKit reads attributionsourceid and attributiondestination"
    case .unknownPage: "the page of the click or the redirect is not known"
    }
  }
}
