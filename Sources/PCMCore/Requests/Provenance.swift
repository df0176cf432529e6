/// An observation of a click or a redirect in a real page. No rule reads it.
package struct Provenance: JSONBody {
  package var frame: String?
  /// The words differ between browsers and their versions, so any are accepted.
  package var load: String?
  package var inferred = false

  package static let definition = BodyDefinition<Self>(
    "What an observer of a real page saw. It changes no decision: events and explanations repeat it.",
    [
      .optional(
        "frame", \.frame, .string("a string with a URL", upTo: 2_048),
        "The URL of the iframe with the link or the load, at most 2,048 bytes; absent for the page itself"),
      .optional(
        "load", \.load, .string("a string, a word", upTo: 32),
        "The kind of load in a word, such as `image`, `beacon`, or `navigation`, at most 32 bytes"),
      .defaulted(
        "inferred", \.inferred, .flag,
        "Whether the observer inferred a value that it did not see, such as the page; false when absent"),
    ])

  package init() {}

  package init(frame: String? = nil, load: String? = nil, inferred: Bool = false) {
    self.frame = frame
    self.load = load
    self.inferred = inferred
  }
}

extension Provenance: EventPart {
  package init(_ provenance: Self?, _ members: inout EventMembers) throws {
    frame = try members.ifPresent("frame", provenance?.frame, .text)
    load = try members.ifPresent("load", provenance?.load, .text)
    inferred = try members.required("inferred", provenance?.inferred, .flag)
  }
}

extension Provenance {
  /// The words of an explanation: `image in the iframe https://ads.example/, inferred`.
  package var words: String {
    let place = frame.map { "in the iframe \($0.asShown(upTo: 200))" } ?? "in the page"
    return ([load?.asShown(upTo: 32), place].compactMap { $0 }.joined(separator: " ")) + (inferred ? ", inferred" : "")
  }
}
