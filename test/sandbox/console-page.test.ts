import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import {
  type ConsoleFiles,
  consoleDocuments,
  consoleOrigins,
  withConsole,
} from "../../src/sandbox/console-page.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { readSettings } from "../../src/sandbox/settings.ts";
import { builtConsole } from "../support/console-files.ts";

const folder = fileURLToPath(new URL("../../src/sandbox/console/", import.meta.url));
const sources = readdirSync(folder)
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(folder + name, "utf8"));

const LARGEST_KB = 131;

let files: ConsoleFiles;

beforeAll(() => {
  files = builtConsole();
});

async function sandboxWith(settings: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
  const env = { STORE: "memory:", MARKET: "manual", PORT: "auto", CONTROL_PORT: "auto", ...settings };
  const sandbox = await startSandbox(readSettings({ env, argv: [] }));
  onTestFinished(() => sandbox.stop());
  return sandbox;
}

const page = {
  files: {
    ...{ "index.html": "<html><!-- sandbox --></html>", "console.css": "css" },
    "console.js": '"<!-- sandbox -->"',
  },
  settings: { market: { kind: "manual" }, clock: "manual" },
  controlUrl: () => "http://127.0.0.1:8081",
} as const;

const WEIGHED = { status: 200, headers: { "X-MBX-USED-WEIGHT-1M": "20" } };

/** What a handle answers, or undefined if it hands the request on to the service. */
async function answered(
  method: string,
  target: string,
  rawHeaders: readonly string[] = [],
): Promise<Awaited<ReturnType<ReturnType<typeof withConsole>>> | undefined> {
  let isHandedOn = false;
  const documents = consoleDocuments(page.files);
  const handle = withConsole(page, async (request) => {
    const document = request.method === "GET" ? documents[request.target] : undefined;
    isHandedOn = document === undefined;
    return isHandedOn ? { status: 404, headers: {}, body: "" } : { ...WEIGHED, body: document?.() ?? "" };
  });
  const request = { method, target, rawHeaders, body: new Uint8Array(), remoteAddress: "127.0.0.1" };
  const reply = await handle(request, undefined);
  return isHandedOn ? undefined : reply;
}

describe("the sandbox answers for the console page, and for nothing else", () => {
  it.each([
    ["GET", "/"],
    ["HEAD", "/"],
    ["GET", "/?from=here"],
    ["GET", "/console.js"],
    ["HEAD", "/console.css"],
  ])("%s %s is a file of the page", async (method, target) => {
    expect((await answered(method, target))?.status).toBe(200);
  });

  it.each([
    ["POST", "/"],
    ["DELETE", "/console.js"],
    ["OPTIONS", "/"],
    ["GET", "/index.html"],
    ["GET", "/console.json"],
    ["GET", "/console.js/"],
    ["GET", "//console.js"],
    ["GET", "/api"],
    ["GET", "/health"],
  ])("%s %s goes to the service", async (method, target) => {
    expect(await answered(method, target)).toBeUndefined();
  });

  it("the sandbox is described in the page alone, and its other files are as they were built", async () => {
    const [html, script] = [await answered("GET", "/"), await answered("GET", "/console.js")];
    expect(html?.body).toContain('<meta name="sandbox-clock" content="manual" />');
    expect(script?.body).toBe(page.files["console.js"]);
  });

  it("a file is a document of the service, with its weight; a refusal is the service's", async () => {
    expect((await answered("GET", "/console.js"))?.headers).toMatchObject({
      "X-MBX-USED-WEIGHT-1M": "20",
      "Content-Type": "text/javascript; charset=utf-8",
    });
    const refusal = { status: 429, headers: { "Retry-After": "9" }, body: "{}" };
    const handle = withConsole(page, async () => refusal);
    const request = { method: "GET", target: "/", rawHeaders: [], body: new Uint8Array(), remoteAddress: "" };
    expect(await handle(request, undefined)).toEqual(refusal);
  });

  it("a sandbox whose page was not built answers as before", async () => {
    const handle = withConsole({ ...page, files: undefined }, async () => ({
      status: 404,
      headers: {},
      body: "",
    }));
    const request = { method: "GET", target: "/", rawHeaders: [], body: new Uint8Array(), remoteAddress: "" };
    expect((await handle(request, undefined)).status).toBe(404);
  });

  it("a Host header that is no host does not get into the policy", async () => {
    const policies = await Promise.all(
      ["127.0.0.1:8080", "[::1]:8080", "a.example; script-src *", "*", "a b", ""].map(async (host) => {
        const reply = await answered("GET", "/", ["Host", host]);
        return /connect-src ([^;]*)/.exec(reply?.headers["Content-Security-Policy"] ?? "")?.[1];
      }),
    );
    const alone = "'self' http://127.0.0.1:8081";
    expect(policies).toEqual([
      "'self' ws://127.0.0.1:8080 wss://127.0.0.1:8080 http://127.0.0.1:8081",
      "'self' ws://[::1]:8080 wss://[::1]:8080 http://127.0.0.1:8081",
      ...[alone, alone, alone, alone],
    ]);
  });

  it.each([
    ["127.0.0.1", ["http://127.0.0.1:81", "http://localhost:81"]],
    ["0.0.0.0", ["http://0.0.0.0:81", "http://127.0.0.1:81", "http://localhost:81"]],
    ["::1", ["http://[::1]:81", "http://localhost:81"]],
    ["192.168.1.5", ["http://192.168.1.5:81"]],
  ])("the origins of a page at HOST=%s are %j", (host, origins) => {
    const url = `http://${host.includes(":") ? `[${host}]` : host}:81`;
    expect([...consoleOrigins(host, { port: 81, url })].sort()).toEqual([...origins].sort());
  });

  it("browsers leave the port 80 out of an origin", () => {
    const origins = consoleOrigins("127.0.0.1", { port: 80, url: "http://127.0.0.1:80" });
    expect(origins).toContain("http://localhost");
  });
});

describe("the page over a real port", () => {
  it("is served with strict headers", async () => {
    const { url, controlUrl } = await sandboxWith();
    const reply = await fetch(`${url}/`);
    const html = await reply.text();
    expect([reply.status, html.includes(`content="${controlUrl}/control"`)]).toEqual([200, true]);
    expect(html).toContain('<meta name="sandbox-market" content="manual" />');
    const host = url.replace("http://", "");
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "content-security-policy": `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' ws://${host} wss://${host} ${controlUrl}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
    });
    const head = await fetch(`${url}/`, { method: "HEAD" });
    expect([head.headers.get("content-length"), await head.text()]).toEqual([String(html.length), ""]);
    expect(await (await fetch(`${url}/console.js`)).text()).toBe(files["console.js"]);
    expect((await fetch(`${url}/console.css`)).headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect((await fetch(`${url}/`, { method: "POST" })).status).toBe(404);
    expect((await fetch(`${url}/console.json`)).status).toBe(404);
  });

  it("without a control interface the page knows none, and may ask none", async () => {
    const { url } = await sandboxWith({ CONTROL_PORT: "off" });
    const reply = await fetch(`${url}/`);
    expect(await reply.text()).not.toContain("sandbox-control");
    expect(reply.headers.get("content-security-policy")).not.toContain(" http://");
  });

  it("the control interface answers the page under both names of this machine, and no other page", async () => {
    const { url, controlUrl } = await sandboxWith();
    const port = new URL(url).port;
    const statusFor = async (origin: string): Promise<number> =>
      (await fetch(`${controlUrl}/control/health`, { headers: { origin } })).status;
    expect(await statusFor(`http://127.0.0.1:${port}`)).toBe(200);
    expect(await statusFor(`http://localhost:${port}`)).toBe(200);
    expect(await statusFor("http://evil.example")).toBe(403);
  });

  it("a WebSocket of the page is admitted, also if other origins are named", async () => {
    const { url, wsUrl } = await sandboxWith({ ALLOWED_ORIGINS: "https://desk.example.com" });
    const opened = (origin: string): Promise<boolean> =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${wsUrl}/ws/liquidity`, { origin });
        socket.on("open", () => resolve(true));
        socket.on("error", () => resolve(false));
        onTestFinished(() => socket.terminate());
      });
    expect([await opened(url), await opened("https://evil.example")]).toEqual([true, false]);
  });
});

describe("the files of the console page", () => {
  it("every element that a script asks for is in the page, and every label names one", () => {
    const ids = [...files["index.html"].matchAll(/ id="([\w-]+)"/g)].map(([, id]) => id);
    const requested = sources.flatMap((text) =>
      [...text.matchAll(/(?<![.\w])(?:element|on)\(\s*"([\w-]+)"/g)].map(([, id]) => id),
    );
    const labelled = [...files["index.html"].matchAll(/ (?:for|aria-labelledby)="([\w-]+)"/g)].map(
      ([, id]) => id,
    );
    expect(requested.length).toBeGreaterThan(40);
    expect([...requested, ...labelled].filter((id) => !ids.includes(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("every input and select of the page has a label", () => {
    const fields = [...files["index.html"].matchAll(/<(?:input|select) id="([\w-]+)"/g)].map(([, id]) => id);
    expect(fields.filter((id) => !files["index.html"].includes(`for="${id}"`))).toEqual([]);
  });

  it("no file names a foreign address, and no text becomes HTML or code", () => {
    const addresses = Object.values(files).flatMap((text) => text.match(/\bhttps?:\/\/[\w.-]+/g) ?? []);
    const names = new Set(addresses);
    // The first is the name of SVG, and the second is an example in a message about a wrong address. The last two are the
    // license of the library of the chart, and the link of its logo, which loads nothing.
    const known = /www\.w3\.org|api\.example\.com|json-schema\.org|www\.apache\.org|www\.tradingview\.com/;
    expect([...names].filter((name) => !known.test(name))).toEqual([]);
    for (const text of sources)
      expect(text).not.toMatch(
        /innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function|DOMParser/,
      );
    expect(sources.join("")).not.toMatch(/localStorage|sessionStorage|indexedDB|document\.cookie/);
    expect(files["index.html"]).not.toMatch(/ style=| on\w+=|<script(?![^>]* src="console\.js")/);
  });

  it(`the script has at most ${LARGEST_KB} kB, compressed`, () => {
    expect(gzipSync(files["console.js"]).length / 1_000).toBeLessThan(LARGEST_KB);
  });

  it("the script is for a browser: it has no Node built-in", () => {
    expect(files["console.js"]).not.toMatch(/from ?"node:|\brequire\(/);
  });
});
