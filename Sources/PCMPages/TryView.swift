/// The forms of a browser's page: calls to try, and settings.
struct TryView: Sendable {
  /// The path of the browser in the API, percent-encoded.
  let apiPath: String

  /// The calls to try, in groups for clicks on the web and for ads for apps.
  var markup: Markup {
    """
    <section aria-labelledby="try-title">
    <div class="heading"><h2 id="try-title">Try it</h2></div>
    <p class="soft">Each form calls the API. The examples work in this order, from the top.</p>
    <div class="tries">
    <div><h3>Ads that lead to websites</h3>
    \(forms(TryForm.web))</div>
    <div><h3>Ads that lead to apps</h3>
    \(forms(TryForm.device))</div>
    </div></section>
    """
  }

  var settings: Markup {
    """
    <section aria-labelledby="settings-title">
    <div class="heading"><h2 id="settings-title">Settings</h2></div>
    <div class="tries">\(forms(TryForm.settings))</div></section>
    """
  }

  private func forms(_ forms: [TryForm]) -> [Markup] { forms.map { $0.markup(apiPath: apiPath) } }
}
