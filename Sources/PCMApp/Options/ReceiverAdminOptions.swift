import ArgumentParser
import PCMCore
import PCMEndpoint

/// The admin interface of `pcm-browser receive`, which mints the nonces of tokens.
struct ReceiverAdminOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The admin address of pcm-browser receive: https://ads.example/admin.", valueName: "URL"))
  var tokenAdmin: String?

  @Option(help: "The token of the admin address. PCM_BROWSER_ADMIN_TOKEN has the same effect.")
  var adminToken: String?

  /// Other users of the machine can read a command line, so the environment is the better place.
  private var token: AccessToken {
    AccessToken(option: "--admin-token", adminToken, variable: "PCM_BROWSER_ADMIN_TOKEN", Environment.adminToken)
  }

  func validate() throws {
    if tokenAdmin != nil { try token.validate() }
  }

  /// Returns the address of the receiver with its admin interface; nil without the option.
  func receiver(_ target: CheckTarget) throws -> (url: WebURL, admin: CheckOptions.ReceiverAdmin)? {
    guard let url = try tokenAdmin.map({ try target.url($0, "--token-admin") }) else { return nil }
    guard !url.text.contains(where: { $0 == "?" || $0 == "#" }) else {
      throw StartError(description: "--token-admin \"\(url.text.visible)\": expected a URL without a query or fragment")
    }
    // The receiver's address without a path is sufficient.
    return (url, CheckOptions.ReceiverAdmin(url: url.path == "/" ? url.text + "admin" : url.text, token: token.text))
  }
}
