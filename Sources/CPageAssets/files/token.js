/* The token of the service, which stays in the tab. The beginning of each script that makes calls. */
"use strict";
const tokenKey = "pcm-browser-token";
let tokenWait = null;
const currentToken = () => sessionStorage.getItem(tokenKey);

/* Asks for the token, unless it changed since a call sent the rejected one. */
async function askForToken(rejected) {
  if (rejected !== currentToken()) return;
  tokenWait ??= new Promise((done) => {
    const dialog = document.querySelector("#token");
    const field = dialog.querySelector("input");
    field.value = "";
    dialog.querySelector("#token-problem").textContent = rejected
      ? "The token is wrong. Enter the one with which the service was started." : "";
    dialog.addEventListener("close", () => {
      sessionStorage.setItem(tokenKey, field.value.trim());
      tokenWait = null;
      done();
    }, { once: true });
    dialog.showModal();
  });
  await tokenWait;
}

/* The field has the bytes of the token: a character beyond Latin-1 would be an error of the call, and not a wrong token. */
function tokenField() {
  const bytes = new TextEncoder().encode(currentToken() ?? "");
  return bytes.length ? { Authorization: `Bearer ${String.fromCharCode(...bytes)}` } : {};
}
