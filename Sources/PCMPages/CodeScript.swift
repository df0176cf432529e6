extension PageAsset {
  /// The part of the script that writes the call of a form as code, and copies it. The code reads the service's token from the
  /// environment, so that it does not contain it.
  static let codeScript = #"""

    /* The call of a form as code. */

    const hasToken = () => Boolean(sessionStorage.getItem(tokenKey));
    const shellText = (text) => `'${text.replaceAll("'", "'\\''")}'`;

    function curlCode({ method, path, type, body, file }) {
      const lines = [`curl --fail-with-body -X ${method} ${shellText(location.origin + path)}`];
      if (hasToken()) lines.push('-H "Authorization: Bearer $PCM_BROWSER_API_TOKEN"');
      if (file) lines.push(`-H 'Content-Type: ${type}'`, `--data-binary ${shellText(`@${file.name}`)}`);
      else if (body !== undefined) {
        lines.push(`-H 'Content-Type: ${type}'`, `--data-raw ${shellText(typeof body === "string" ? body : JSON.stringify(body, null, 2))}`);
      }
      return lines.join(" \\\n  ");
    }

    /* A JSON value in the syntax of a language. */
    function literal(value, style, indent) {
      if (Array.isArray(value)) return `[${value.map((item) => literal(item, style, indent)).join(", ")}]`;
      if (value === null || typeof value === "boolean") return style.words[String(value)];
      if (typeof value !== "object") return typeof value === "string" ? style.text(value) : String(value);
      const inner = `${indent}    `;
      const members = Object.entries(value).map(([name, item]) => `${inner}${style.text(name)}: ${literal(item, style, inner)},\n`);
      return members.length ? `${style.open}\n${members.join("")}${indent}${style.close}` : style.empty;
    }

    const pythonStyle = { words: { true: "True", false: "False", null: "None" }, open: "{", close: "}", empty: "{}", text: JSON.stringify };
    const swiftText = (text) => JSON.stringify(text).replace(/\\(?:u(....)|(.))/g,
      (all, code, name) => (code ? `\\u{${code}}` : name === "b" ? "\\u{8}" : name === "f" ? "\\u{c}" : all));
    const swiftStyle = { words: { true: "true", false: "false", null: ".null" }, open: "[", close: "]", empty: "[:]", text: swiftText };

    function pythonCode({ method, path, type, body, file }) {
      const parts = [JSON.stringify(location.origin + path), `method=${JSON.stringify(method)}`];
      const headers = [];
      if (body !== undefined) headers.push(`"Content-Type": ${JSON.stringify(type)}`);
      if (hasToken()) headers.push('"Authorization": "Bearer " + os.environ["PCM_BROWSER_API_TOKEN"]');
      if (headers.length) parts.push(`headers={${headers.join(", ")}}`);
      if (file) parts.push(`data=open(${JSON.stringify(file.name)}, "rb").read()`);
      else if (typeof body === "string") parts.push(`data=${JSON.stringify(body)}.encode()`);
      else if (body !== undefined) parts.push(`data=json.dumps(${literal(body, pythonStyle, "    ")}).encode()`);
      const isJSON = body !== undefined && typeof body === "object" && !file;
      return `${isJSON ? "import json\n" : ""}${hasToken() ? "import os\n" : ""}import urllib.request

    request = urllib.request.Request(
        ${parts.join(",\n    ")},
    )
    with urllib.request.urlopen(request) as response:
        print(response.read().decode())
    `;
    }

    /* Arguments with labels, without those that are missing. */
    const swiftArguments = (pairs) => pairs.filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name ? `${name}: ` : ""}${value}`).join(", ");
    const swiftOptional = (value) => (value === undefined ? undefined : literal(value, swiftStyle, ""));
    const swiftApp = (name) => `let app = try await browser.app(${swiftText(name ?? "")})\n`;
    const swiftCase = (name) => (/^[a-z]+$/.test(name) ? `.${name}` : `.init(rawValue: ${swiftText(name)})`);

    function swiftChange(target, values) {
      const changes = (path, item) => (typeof item === "object"
        ? Object.entries(item).flatMap(([name, inner]) => changes(`${path}.${name}`, inner))
        : [`  $0${path} = ${["deliveryPolicy", "reportURL", "sourceDomain", "postbackKeys"].some((name) => path.endsWith(name))
          ? `.init(rawValue: ${swiftText(item)})` : literal(item, swiftStyle, "")}\n`]);
      return `let outcome = try await ${target}.change {\n${changes("", values ?? {}).join("") || "  _ = $0\n"}}`;
    }

    /* The seconds in a duration such as P1DT2H. */
    function secondsOf(text) {
      const parts = [...text.matchAll(/(\d+(?:\.\d+)?)([WDHMS])/g)];
      return parts.reduce((sum, [, number, unit]) => sum + number * { W: 604800, D: 86400, H: 3600, M: 60, S: 1 }[unit], 0);
    }

    const swiftCalls = {
      "try-network": (body) => `try await browser.use(.${body.mode})\nlet outcome = ${swiftText(body.mode)}`,
      "try-app": (body, { file }) => (file ? `let outcome = try await browser.register(infoPlistAt: ${swiftText(file.name)})`
        : `let outcome = try await browser.register(infoPlist: Data(${swiftText(body)}.utf8))`),
      "try-tap": (body) => `${swiftApp(body.bundleIdentifier)}let outcome = try await browser.open(
      EventAttribution(${swiftArguments(["sourceIdentifier", "destinationURL", "sourceDescription", "purchaser"]
        .map((name) => [name, swiftOptional(body[name])]))}),
      from: app, tapVerified: ${body.tapVerified}, presentation: .${body.presentation})`,
      "try-link": (body) => `let outcome = try await browser.follow(
      AttributionLink(${swiftArguments([["sourceIdentifier", swiftOptional(body.attributionSourceID)],
        ["destination", swiftOptional(body.attributionDestination)], ["sourceNonce", swiftOptional(body.attributionSourceNonce)]])}),
      ${swiftArguments([["on", swiftText(body.pageURL ?? "")], ["landingURL", swiftOptional(body.landingURL)], ["userGesture", body.userGesture]])})`,
      "try-trigger": (body) => `${body.bundleIdentifier ? swiftApp(body.bundleIdentifier) : ""}let outcome = try await browser.trigger(
      .pixel(${swiftArguments([["of", swiftText(body.pixelOf ?? "")], ["data", body.triggerData ?? 0], ["priority", body.priority],
        ["on", swiftText(body.firstPartyURL ?? "")]])})${body.bundleIdentifier ? ", in: app" : ""})`,
      "try-site": (body, { names }) => {
        const answer = (item) => (item.location !== undefined
          ? `.redirect(${swiftArguments([["to", swiftText(item.location)], ["status", item.status]])})`
          : `.status(${swiftArguments([["", item.status ?? 200], ["contentType", swiftOptional(item["content-type"])], ["body", swiftOptional(item.body)]])})`);
        const loads = Object.entries(body.loads ?? {}).map(([path, items]) => `${swiftText(path)}: [${[items].flat().map(answer).join(", ")}]`);
        return `let host = ${swiftText(names.host)}\ntry await browser.script(host, SiteScript(loads: [${loads.join(", ") || ":"}]))\nlet outcome = host`;
      },
      "try-load": (body) => `${body.bundleIdentifier ? swiftApp(body.bundleIdentifier) : ""}let outcome = try await browser.load(
      ${swiftArguments([["", swiftText(body.url ?? "")], ["on", swiftText(body.firstPartyURL ?? "")], ["as", swiftCase(body.kind)],
        ["method", swiftCase(body.method.toLowerCase())]])}${body.bundleIdentifier ? ", in: app" : ""})`,
      "try-ad-network": (body, { names }) => `let outcome = try await browser.device.register(
      ${swiftArguments([["adNetwork", swiftText(names.adNetwork)], ["publicKey", swiftOptional(body.publicKey)],
        ["postbackURL", swiftOptional(body.postbackURL)]])})`,
      "try-source-app": (body, { names }) => `let outcome = try await browser.device.register(
      ${swiftArguments([["app", swiftText(names.bundleIdentifier)], ["infoPlist", literal(body.infoPlist ?? {}, swiftStyle, "  ")],
        ["itemIdentifier", body.itemIdentifier]])})`,
      "try-ad": (body) => `${swiftApp(body.bundleIdentifier)}let ad = SKAdNetworkAd(
      ${swiftArguments(["version", "adNetworkIdentifier", "sourceIdentifier", "advertisedAppStoreItemIdentifier",
        "adImpressionIdentifier", "sourceAppStoreItemIdentifier", "timestamp", "signature"]
        .map((name) => [name, swiftOptional(body[name])]))})
    let outcome = try await browser.device.display(ad, in: app)`,
      "try-jws": (body) => `${swiftApp(body.bundleIdentifier)}let outcome = try await browser.device.display(jws: ${swiftText(body.jws ?? "")}, in: app)`,
      "try-clock": (body) => `let outcome = try await browser.advance(by: .seconds(${secondsOf(body.by ?? "")}))`,
      "try-ad-tap": (body, { names }) => `let outcome = try await browser.device.tap(${swiftArguments([["", swiftText(names.impression)],
        ["tapVerified", body.tapVerified], ["reengagementURL", swiftOptional(body.reengagementURL)]])})`,
      "try-view-end": (body, { names }) => `let outcome = try await browser.device.endView(of: ${swiftText(names.impression)})`,
      "try-install": (body) => `${swiftApp(body.bundleIdentifier)}let outcome = try await browser.device.install(${swiftArguments([["", "app"],
        ["country", swiftOptional(body.country)]])})`,
      "try-launch": (body) => `${swiftApp(body.bundleIdentifier)}let outcome = try await browser.device.launch(app)`,
      "try-value": (body) => `${swiftApp(body.bundleIdentifier)}let outcome = try await browser.device.report(
      .skadnetwork(${swiftArguments([["", body.fineValue], ["coarse", body.coarseValue && `.${body.coarseValue}`],
        ["lockWindow", body.lockWindow || undefined]])}), by: app)`,
      settings: (body) => swiftChange("browser", body.settings),
      device: (body) => swiftChange("browser.device", body.device),
    };
    swiftCalls["try-advertised-app"] = swiftCalls["try-source-app"];

    function swiftCode(request, form) {
      const name = decodeURIComponent(api.split("/").pop());
      const service = hasToken() ? "PCMService.fromEnvironment" : `PCMService(url: ${swiftText(location.origin)})`;
      const call = swiftCalls[form.id](request.body ?? {}, request);
      return `${call.includes("Data(") ? "import Foundation\n" : ""}import PCMClient

    let service = ${service}
    let browser = try await service.browser(${swiftText(name)})
    ${call}
    print(outcome)
    `;
    }

    const writers = { curl: curlCode, swift: swiftCode, python: pythonCode };

    async function copyCode(form, language) {
      const place = one("[data-result]", form);
      clearFaults(form);
      let code;
      try { code = writers[language](requestOf(form), form); } catch (error) {
        if (!(error instanceof FieldFault)) throw error;
        return showFaults(form, { errors: [{ pointer: error.field.dataset.at, detail: error.message }] });
      }
      const shown = element("pre", code, "code");
      shown.tabIndex = 0;
      const note = element("p", "Copied.");
      place.replaceChildren(note, shown);
      try { await navigator.clipboard.writeText(code); } catch {
        getSelection().selectAllChildren(shown);
        note.textContent = "The code is selected. Copy it with the keyboard.";
      }
    }
    """#
}
