import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { checkExample } from "./example.mjs";
import { NOT_SERVED } from "./not-served.mjs";
import { openRecorder } from "./record.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const CLIENTS = [
  ...["ccxt", "binance", "binance-socket", "spot", "spot-socket"],
  ...["connector", "api-node", "node-binance-api"],
];
const [KEY, SECRET] = ["sandbox-key", "sandbox-secret"];

const sandbox = spawn(process.execPath, [here("../../node_modules/.cache/sandbox.mjs"), "sandbox"], {
  env: {
    ...{ PATH: process.env.PATH, STORE: "memory:", MARKET: "manual", QUOTE_MAX_AGE_MS: "600000" },
    ...{ PORT: "auto", CONTROL_PORT: "auto", RATE_LIMITS: "off", LOG: "json" },
    ...{ SANDBOX_API_KEY: KEY, SANDBOX_API_SECRET: SECRET },
  },
  stdio: ["ignore", "pipe", "inherit"],
});
const addresses = await new Promise((resolve, reject) => {
  sandbox.once("exit", (code) => reject(new Error(`the sandbox ended with ${code}`)));
  createInterface({ input: sandbox.stdout }).on("line", (line) => {
    const said = line.startsWith("{") ? JSON.parse(line) : {};
    if (said.ready === true) resolve(said);
  });
});
const control = async (path, body) => {
  const headers = { "Content-Type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const reply = await fetch(new URL(path, addresses.controlUrl), init);
  if (!reply.ok) throw new Error(`${path}: ${await reply.text()}`);
};

let moved = 0;
/** Each move changes the book and adds a trade. */
const market = {
  moves: async () => {
    const bidQuantity = `${1 + (++moved % 9)}`;
    await control("/control/quotes", { symbol: "BTC/USD", bid: "60000", ask: "60001", bidQuantity });
    await control("/control/trades", {
      symbol: "BTC/USD",
      price: `${60_000 + (moved % 5)}`,
      quantity: "0.5",
    });
  },
};

const isUpdate = process.argv.includes("--update");
const recorded = [];
const recorder = process.argv.includes("--record")
  ? await openRecorder(addresses.url, (request) => recorded.push(request))
  : undefined;
const { dependencies } = JSON.parse(readFileSync(here("package.json"), "utf8"));
const failures = [];
const rows = [];
const sums = [];
let passed = 0;
try {
  await market.moves();
  for (const file of CLIENTS) await runClient(await import(`./clients/${file}.mjs`));
  if (recorder === undefined) checkPage();
  await test("examples/ccxt-sandbox prints its expected.txt", () =>
    checkExample({ ...addresses, key: KEY, secret: SECRET, isUpdate }));
  if (recorder !== undefined) {
    writeFileSync(here("requests.jsonl"), recorded.map((request) => `${JSON.stringify(request)}\n`).join(""));
  }
} finally {
  sandbox.kill("SIGKILL");
}
for (const failure of failures) console.error(failure);
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);

async function runClient({ name, part, setup, options, open, close, cases, cannot, streams }) {
  // The recorder passes on requests of REST only. Orders that it does not see would shift the ids of those that it sees.
  if (part !== undefined && recorder !== undefined) return;
  const url = part === undefined ? (recorder?.url ?? addresses.url) : addresses.url;
  const client = await open({ url, key: KEY, secret: SECRET });
  const title = part === undefined ? name : `${name}, ${part}`;
  rows.push("", `## ${title} ${dependencies[name]}`, "", `${setup}.`, "");
  rows.push("| method | works |", "| --- | --- |");
  for (const [method, run] of Object.entries(cases)) {
    await test(`${title} ${method}`, () => run(client));
    rows.push(`| \`${method}\` | ${options ? "yes, with the options above" : "yes"} |`);
  }
  for (const [method, route] of Object.entries(cannot)) {
    await test(`${title} ${method} is a method that does not work for a reason`, () => {
      if (typeof client[method] !== "function") throw new Error("the client has no such method");
      if (!reasonOf(route).includes(" ")) throw new Error(`no reason is given for ${route}`);
    });
    rows.push(`| \`${method}\` | no: ${reasonOf(route)} |`);
  }
  if (streams !== undefined) await runStreams(title, streams);
  const works = Object.keys(cases).length + Object.keys(streams?.cases ?? {}).length;
  const fails = Object.keys(cannot).length;
  sums.push(`| ${title} | ${dependencies[name]} | ${works} | ${fails} |`);
  await close?.(client);
}

async function runStreams(title, { setup, cases }) {
  rows.push("", `Streams: ${setup}.`, "", "| method | works |", "| --- | --- |");
  const address = { url: addresses.url, wsUrl: addresses.url.replace("http", "ws") };
  for (const [method, run] of Object.entries(cases)) {
    await test(`${title} ${method}`, () => run(address, market));
    rows.push(`| \`${method}\` | yes |`);
  }
}

/** The reason of a route, or one of the client itself. */
function reasonOf(route) {
  return NOT_SERVED[route] ?? route;
}

async function test(title, run) {
  try {
    await run();
    passed++;
  } catch (error) {
    failures.push(`FAIL ${title}: ${shown(error)}`);
  }
}

function shown(error) {
  const body = error?.response?.data ?? error?.body;
  return [error?.stack ?? error?.message ?? JSON.stringify(error), body && JSON.stringify(body)]
    .filter(Boolean)
    .join("\n");
}

/** The page holds what this run has found; `--update` writes it. */
function checkPage() {
  const page = here("../../docs/existing-clients.md");
  const text = readFileSync(page, "utf8");
  const mark = "<!-- The rest of this page is generated by npm run program -- clients --update. -->";
  const head = [
    "",
    "| client | version | calls that work | methods that do not |",
    "| --- | --- | --- | --- |",
  ];
  const next = `${text.split(mark)[0]}${mark}\n${[...head, ...sums, ...rows].join("\n")}\n`;
  if (isUpdate) writeFileSync(page, next);
  else if (text !== next)
    failures.push("FAIL docs/existing-clients.md is out of date: run npm run program -- clients --update");
  else passed++;
}
