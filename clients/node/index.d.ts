/** The options of `attach`. Durations are ISO 8601, such as `PT48H`. */
export interface AttachOptions {
  /** The URL of the service; by default, `PCM_BROWSER_URL`, or else `http://127.0.0.1:8726`. */
  service?: string;
  /** The service's token; by default, `PCM_BROWSER_API_TOKEN`. */
  token?: string;
  /** The name of the browser. One of the same name is deleted first. By default, the name is unique. */
  browser?: string;
  /** Whether the browser is a private one. */
  private?: boolean;
  /** `manual` by default: only the test advances the clock. */
  clock?: "manual" | "real";
  /** The initial time of a manual clock: November 20, 2026, 10:00 UTC by default. */
  start?: string;
  /** The network that receives the reports: `simulated` by default, without any connection. */
  network?: "simulated" | "real";
  /** The seed of the random numbers: the name of the browser by default. */
  seed?: string;
  /**
   * The address of DevTools, such as `http://127.0.0.1:9222`, or the `ws://` URL of a browser, which is used as given; by default, the
   * one of the context's Chromium.
   */
  devtools?: string;
  /** The longest time for which a request to the trigger path waits for the service: `PT2S` by default. */
  hold?: string;
}

/** What was observed since the last call of `settled`. */
export interface Settlement {
  settled: boolean;
  state: "attached" | "ended";
  /** Why the attachment ended. */
  reason?: string;
  /** The clicks and triggering events, each with the call that the observer made and the service's response. */
  outcomes: { kind: "link-click" | "triggering-event"; url: string; request: object; status: number; response: any }[];
  /** The clicks that Safari would not measure, with the code of the reason. */
  dropped: { href: string; code: string; pageURL: string }[];
  pending: { clicks: number; heldRequests: number; requests: number };
}

/** The members of a report that must match. Those that are missing match any report. */
export interface ReportMembers {
  sourceSite?: string;
  destinationSite?: string;
  sourceIdentifier?: number;
  triggerData?: number;
  state?: "scheduled" | "sending" | "delivered" | "failed" | "superseded" | "cleared";
}

/** An error response of the service. */
export class PCMError extends Error {
  private constructor();
  readonly status: number;
  readonly code?: string;
  readonly errors: { pointer?: string; parameter?: string; detail: string; code?: string }[];
}

/** A browser of the service that takes its clicks and triggering events from Chromium. */
export class AttachedBrowser {
  private constructor();
  readonly name: string;
  /** Calls the API at a path of the browser, such as `/reports`, and returns the JSON of the response, or its text. */
  call(method: string, path: string, body?: object, accept?: string): Promise<any>;
  /** Returns when Chromium is idle. Throws an `AssertionError` when something is still pending. */
  settled(within?: string): Promise<Settlement>;
  /** Advances the manual clock, and returns when all due work, including sending reports, is done. */
  advance(by: string): Promise<{ now: string; idle: boolean }>;
  /** Returns the expected report: a delivered one, unless `state` is another one. Throws an explanation if there is none. */
  expectReport(recipient: "source" | "destination", members?: ReportMembers): Promise<any>;
  /** Throws if there is a report with these members. */
  expectNoReport(members?: ReportMembers): Promise<void>;
  /** Returns why there is a report, or none, as text: of a site, or of an identifier such as `click-4`. */
  explain(about: string): Promise<string>;
  /** Returns the page of the browser as one HTML file, which works without the service. */
  trace(): Promise<string>;
  /** Removes the measurement data, all or that of a site. Chromium keeps its data. */
  clear(site?: string): Promise<void>;
  /** Ends the attachment, and deletes the browser. */
  detach(): Promise<void>;
}

/**
 * Creates a browser of the service, and attaches it to Chromium, which runs with `--remote-debugging-port=0` and a `--user-data-dir`.
 * Playwright adds the latter.
 *
 * @param context A `BrowserContext` of Playwright, or null for the whole Chromium at `devtools`.
 */
export function attach(context: object | null, options?: AttachOptions): Promise<AttachedBrowser>;

/**
 * Returns the argument with which Chromium accepts a certificate by its public key. Unlike `ignoreHTTPSErrors` of Playwright, it changes
 * nothing else.
 *
 * @param server The address of a server, such as `127.0.0.1:8443`, or the path of a file with its certificate in PEM.
 */
export function certificateSwitch(server: string): Promise<string>;

/**
 * Writes the page of the browser to a file when a test of `node:test` fails, in Node 20.12 or later. Call it before you register the hook
 * that detaches the browser.
 *
 * @param test The context of the test.
 * @param folder The folder of the file, which is named after the test: `pcm-traces` by default.
 */
export function traceOnFailure(test: object, browser: AttachedBrowser, folder?: string): void;
