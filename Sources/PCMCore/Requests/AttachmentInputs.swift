/// The body of `POST …/attachments`.
package struct AttachmentInput: JSONBody {
  package var devtools = ""
  package var context: String?
  package var hold = standardHold

  /// How long a request to the trigger path is held at most, unless the caller says otherwise.
  package static let standardHold = Interval.seconds(2)
  package static let maximumHold = Interval.seconds(10)

  package static let definition = BodyDefinition<Self>(
    "A running Chromium whose pages are observed.",
    [
      .required(
        "devtools", \.devtools, .string("a string such as http://127.0.0.1:9222", upTo: 2_048),
        "The address of the browser's DevTools, which `--remote-debugging-port` opens with `--user-data-dir`: `http://HOST:PORT`, "
          + "or the `ws://` URL of the browser, which is used as given. The host is on loopback, or allowed by `--devtools-host`"
      ),
      .optional(
        "context", \.context, .string("a string, the browserContextId", upTo: 128),
        "The `browserContextId` of the observed browser context; all contexts when absent"),
      .defaulted(
        "hold", \.hold, .duration,
        "How long a request to the trigger path is held at most until it is decided, an ISO 8601 duration of at most 10 seconds; "
          + "`PT2S` when absent"),
    ],
    rules: [
      .check { body in
        guard body.hold > maximumHold else { return nil }
        return InputError(["hold"], "\(body.hold.text) is too long; hold requests for at most \(maximumHold.text)", .outOfRange)
      }
    ])

  package init() {}
}

/// The body of `POST …/attachments/{attachment}/settle`.
package struct SettleInput: JSONBody {
  package var within = Interval.seconds(10)

  package static let maximumWait = Interval.seconds(60)

  package static let definition = BodyDefinition<Self>(
    "How long to wait for the observed pages.",
    [
      .defaulted(
        "within", \.within, .duration, "The longest wait, an ISO 8601 duration of at most 60 seconds; `PT10S` when absent")
    ],
    rules: [
      .check { body in
        guard body.within > maximumWait else { return nil }
        return InputError(["within"], "\(body.within.text) is too long; wait for at most \(maximumWait.text)", .outOfRange)
      }
    ])

  package init() {}
}
