import PCMBrowser
import PCMCore

extension SimulatedLoss.Code {
  /// The entry of the catalog.
  var title: RuleTitle { RuleTitle(reason: rawValue, text, .ours(origin), change: change) }

  private var text: String {
    switch self {
    case .stored: "The click waits for a triggering event to the end of the events."
    case .ephemeral: "The click of a private session waits for a triggering event to the end of the events."
    case .otherBrowser: "The user has another browser than Safari."
    case .recorded: "The ad waits for an install to the end of the events."
    case .displayed: "The view of the ad has no end in the events."
    case .appNotInstalled: "The app is not installed on the user's device."
    case .notFound: "The user saw no ad before."
    case .conflict: "An ad of SKAdNetwork has no taps. StoreKit observes them."
    case .limitReached: "The device keeps no more such records."
    case .valueReplaced: "A later call reported a value in the same conversion window. A window has the last value."
    }
  }

  private var origin: String {
    switch self {
    case .stored, .ephemeral, .recorded, .displayed: "a simulation ends with the events of the user"
    case .otherBrowser: "only Safari has Private Click Measurement, and a profile gives the share of other browsers"
    case .appNotInstalled, .notFound, .conflict, .limitReached: "the service answers such a call with an error"
    case .valueReplaced: "a postback has the values of the last call, and an explanation names the calls before it"
    }
  }

  private var change: String {
    switch self {
    case .stored, .ephemeral: "add later triggering events of the user to the file, if there are any"
    case .otherBrowser: "set a lower other_browser_share in the profile"
    case .recorded: "add later installs of the user to the file, if there are any"
    case .displayed: "add the end of the view to the file"
    case .appNotInstalled: "add the install of the app before this line"
    case .notFound: "add the ad before this line"
    case .conflict: "remove the line, or set the framework of the ad to adattributionkit"
    case .limitReached: "end the views of ads, or clear the data"
    case .valueReplaced: "nothing: the last value counts, unless an earlier call locks the window"
    }
  }
}
