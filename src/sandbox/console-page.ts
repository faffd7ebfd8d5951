import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Service } from "../service/index.ts";
import { splitTarget, type WireRequest, type WireResponse } from "../wire/index.ts";
import type { SandboxSettings } from "./settings.ts";

type Handle = Pick<Service, "handle">["handle"];

/** What the page is told of its sandbox. The control interface opens after the port of the page. */
type ConsoleOptions = Readonly<{
  files: ConsoleFiles | undefined;
  settings: Pick<SandboxSettings, "market" | "clock">;
  controlUrl: () => string | undefined;
}>;

type ServedFile = Readonly<{ name: keyof ConsoleFiles; type: string }>;

const PATHS: ReadonlyMap<string, ServedFile> = new Map<string, ServedFile>([
  ["/", { name: "index.html", type: "text/html; charset=utf-8" }],
  ["/console.js", { name: "console.js", type: "text/javascript; charset=utf-8" }],
  ["/console.css", { name: "console.css", type: "text/css; charset=utf-8" }],
]);

/** The place in the page where its sandbox is described. */
const PLACE = "<!-- sandbox -->";

/** A host that may stand in a header: a name or an address, and a port. */
const HOST = /^(?:[a-z0-9.-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;

/** Returns the files of the page as documents of the service, so that each read has their weight and waits its turn. */
export function consoleDocuments(files: ConsoleFiles | undefined): Readonly<Record<string, () => string>> {
  if (files === undefined) return {};
  return Object.fromEntries([...PATHS].map(([path, { name }]) => [path, () => files[name]]));
}

/**
 * Answers GET and HEAD for the console page and its two files with the documents of the service, and everything else as
 * before.
 */
export function withConsole({ files, settings, controlUrl }: ConsoleOptions, handle: Handle): Handle {
  if (files === undefined) return handle;
  return async (request, front) => {
    const target = pathOf(request);
    const file = PATHS.get(target);
    if (file === undefined) return await handle(request, front);
    const { name, type } = file;
    // Member by member: those of a request that a front thread has taken are not its own properties.
    const { rawHeaders, remoteAddress, body: sent } = request;
    const answer = await handle({ method: "GET", target, rawHeaders, remoteAddress, body: sent }, front);
    if (answer.status !== 200) return answer;
    const control = controlUrl();
    const text = answer.body;
    const body = name === "index.html" ? text.replace(PLACE, () => described(settings, control)) : text;
    const headers = { ...answer.headers, ...headersOf(type, sourcesOf(request, control)) };
    return { status: 200, headers, body };
  };
}

function pathOf({ method, target }: WireRequest): string {
  if (method !== "GET" && method !== "HEAD") return "";
  return splitTarget(target)?.path ?? "";
}

/** All these values are made here: they need no escaping. */
function described({ market, clock }: ConsoleOptions["settings"], controlUrl: string | undefined): string {
  const metas = { market: market.kind, clock, ...(controlUrl && { control: `${controlUrl}/control` }) };
  return Object.entries(metas)
    .map(([name, content]) => `<meta name="sandbox-${name}" content="${content}" />`)
    .join("\n    ");
}

/** `'self'` does not cover WebSockets in every browser, so the host of the request is named too. */
function sourcesOf({ rawHeaders }: WireRequest, controlUrl: string | undefined): string {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  const host = rawHeaders[at + 1] ?? "";
  const sockets = at !== -1 && HOST.test(host) ? ` ws://${host} wss://${host}` : "";
  return `'self'${sockets}${controlUrl === undefined ? "" : ` ${controlUrl}`}`;
}

/** The page holds a secret while it is open, so that nothing foreign may run in it or frame it. */
function headersOf(type: string, sources: string): WireResponse["headers"] {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src data:",
    `connect-src ${sources}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return {
    "Content-Type": type,
    "Content-Security-Policy": policy.join("; "),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
  };
}

/** Addresses of this machine under which a browser reaches a host that listens on it. */
const LOCAL: ReadonlyMap<string, readonly string[]> = new Map([
  ["127.0.0.1", ["127.0.0.1", "localhost"]],
  ["localhost", ["127.0.0.1", "localhost", "[::1]"]],
  ["0.0.0.0", ["127.0.0.1", "localhost"]],
  ["::1", ["[::1]", "localhost"]],
  ["::", ["127.0.0.1", "localhost", "[::1]"]],
]);

/** Returns the origins that a browser sends for the page of a sandbox at this host, port and address. */
export function consoleOrigins(
  host: string,
  { port, url }: Readonly<{ port: number; url: string }>,
): readonly string[] {
  const local = (LOCAL.get(host) ?? []).map((name) => originOf(name, port));
  return [...new Set([url, ...local])];
}

/** Browsers leave out the usual port. */
const originOf = (name: string, port: number): string => `http://${name}${port === 80 ? "" : `:${port}`}`;

/** The files of the console page, by their names: one file of texts, so that page and script are always of one build. */
export type ConsoleFiles = Readonly<Record<"index.html" | "console.js" | "console.css", string>>;

/**
 * Possible places of the built page, relative to the file that this module was built into: in the package, in the cache
 * of `npm start`, and seen from the sources.
 */
const PLACES: readonly string[] = [
  "./console.json",
  "./sandbox/console.json",
  "../../node_modules/.cache/console.json",
];

/** Reads the page. Returns undefined if it was not built, as for a sandbox that a test runs from its sources. */
export function readConsoleFiles(here: string = urlOfThis()): ConsoleFiles | undefined {
  const place = PLACES.map((path) => new URL(path, here)).find((url) => existsSync(url));
  return place === undefined ? undefined : (JSON.parse(readFileSync(place, "utf8")) as ConsoleFiles);
}

/** The built package also contains this file as CommonJS, which has no `import.meta`. */
const urlOfThis = (): string =>
  typeof __filename === "string" ? pathToFileURL(__filename).href : import.meta.url;
