extension OperationCatalog {
  static let pages: [any OperationInput.Type] = [PageEventInput.self]
}

/// The body of `POST …/page-events`: an observation in a real browser that is neither a click nor a triggering event.
package struct PageEventInput: OperationInput {
  package var kind = Kind.clickDropped
  package var text: String?
  package var code: DroppedClick?
  package var href: String?
  package var pageURL: String?
  package var attributionDestination: String?

  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case attached = "page-attached"
    case clickDropped = "page-click-dropped"
    case lost = "attachment-lost"

    package var event: EventKind {
      switch self {
      case .attached: .pageAttached
      case .clickDropped: .pageClickDropped
      case .lost: .attachmentLost
      }
    }
  }

  package static let name = "page-event"
  package static let path = "/v1/browsers/:browser/page-events"
  package static let summary = "Notes what the observer of a real browser noticed"

  /// In bytes. The events repeat the texts.
  static let textLimit = 2_048

  package static let definition = BodyDefinition<Self>(
    "What the observer of a real browser noticed besides clicks and triggering events. It is noted in the log.",
    [
      .required("kind", \.kind, .choice(Kind.self), "The kind of the event"),
      .optional(
        "text", \.text, .string("a string with a sentence", upTo: textLimit),
        "A sentence for people. When absent, the sentence of `code`"),
      .optional(
        "code", \.code, .choice(DroppedClick.self), "Why the click led to no page; only for `page-click-dropped`"),
      .optional(
        "href", \.href, .string("a string with a URL", upTo: textLimit),
        "The link, as the page resolved it; only for `page-click-dropped`"),
      .optional(
        "pageURL", \.pageURL, .string("a string with a URL", upTo: textLimit),
        "The top page with the link; only for `page-click-dropped`"),
      .optional(
        "attributionDestination", \.attributionDestination, .attribute,
        "The attribute `attributiondestination` as written, by which the explanation of the destination finds the click; only "
          + "for `page-click-dropped`"),
    ],
    rules: [
      .check { body in
        guard body.kind == .clickDropped, body.code == nil else { return nil }
        return InputError(["code"], "code is missing; a dropped click has one, such as default-prevented", .missing)
      },
      .check { body in
        guard body.kind != .clickDropped, body.code != nil || body.href != nil else { return nil }
        return InputError(
          [body.code == nil ? "href" : "code"], "code and href belong to page-click-dropped; omit them", .conflictingMembers)
      },
      .check { body in
        guard body.kind != .clickDropped, body.text == nil else { return nil }
        return InputError(["text"], "text is missing; say in a sentence what was noticed", .missing)
      },
    ])

  package init() {}

  package init(_ kind: Kind, text: String) {
    (self.kind, self.text) = (kind, text)
  }

  package init(dropped code: DroppedClick, href: String, pageURL: String? = nil, attributionDestination: String? = nil) {
    (kind, self.code, self.href, self.pageURL) = (.clickDropped, code, href, pageURL)
    self.attributionDestination = attributionDestination
  }
}
