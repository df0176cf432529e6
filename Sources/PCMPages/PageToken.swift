/// The dialog that asks for the service's token, which stays in the tab.
enum PageToken {
  static let dialog: Markup = """
    <dialog id="token" aria-labelledby="token-title"><form method="dialog">
    <h2 id="token-title">Token required</h2>
    <p>This service was started with a token. Enter it to continue. It stays in this tab.</p>
    <label>Token <input name="token" type="password" autocomplete="off" required></label>
    <button class="main">Continue</button>
    </form></dialog>
    """

  /// The beginning of each script that makes calls.
  static let script = #"""
    "use strict";
    const tokenKey = "pcm-browser-token";
    let tokenWait = null;
    function askForToken() {
      tokenWait ??= new Promise((done) => {
        const dialog = document.querySelector("#token");
        dialog.addEventListener("close", () => {
          sessionStorage.setItem(tokenKey, dialog.querySelector("input").value);
          tokenWait = null;
          done();
        }, { once: true });
        dialog.showModal();
      });
      return tokenWait;
    }

    function tokenField() {
      const token = sessionStorage.getItem(tokenKey);
      return token ? { Authorization: `Bearer ${token}` } : {};
    }

    """#
}
