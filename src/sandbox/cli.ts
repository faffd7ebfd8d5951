#!/usr/bin/env node
import { createSystemClock } from "../adapters/node/index.ts";
import { errorCode } from "../common/index.ts";
import { clusterCommand, clusterHelp, INTERRUPTED } from "./cluster-command.ts";
import { SettingsError } from "./input.ts";
import { isForOperator, startProblem } from "./plain-words.ts";
import { openSandbox, type Sandbox, type StartedSandbox } from "./sandbox.ts";
import { shownSetting } from "./setting.ts";
import {
  readSettings,
  readVenueSettings,
  requestsHelp,
  type SandboxSettings,
  settingsHelp,
  venueHelp,
} from "./settings.ts";
import { type CommandOutput, STORE_COMMANDS, storeCommandsHelp } from "./store-commands.ts";
import { startVenue } from "./venue-process.ts";

/** Exit code for problems that the operator can fix: a setting, a port or store in use, an unusable file. */
const BAD_SETTING = 2;

/** Commands that serve until they are stopped: their output is only a log. */
const SERVING: readonly string[] = ["sandbox", "venue"];

/** Time limit in milliseconds for a stop that a signal requested. */
const LONGEST_STOP_MS = 10_000;

/** The same for a sandbox that gives its accounts to others: they take some at a time, when their children are answered. */
const LONGEST_LEAVE_MS = 30_000;

/**
 * Goes on when nobody reads the output any more: what serves must not die with its log, and the exit code of a command is
 * that of its work.
 */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
}

/**
 * Ends with exit code 1 if the output of a command cannot be written, as on a full disk: it is what the command was asked
 * for. A reader that has left wanted no more of it.
 */
function failUnwritten(): void {
  process.stdout.once("error", (error) => {
    const code = errorCode(error);
    if (code === "EPIPE") return;
    process.stderr.write(`managed-orders: the output cannot be written (${code})\n`);
    process.on("exit", () => {
      process.exitCode ||= 1;
    });
  });
}

async function main(argv: readonly string[]): Promise<void> {
  outliveReaders();
  const [command = "", ...rest] = argv;
  if (!SERVING.includes(command) || requestsHelp(rest)) failUnwritten();
  const storeCommand = STORE_COMMANDS.get(command);
  if (storeCommand !== undefined && !requestsHelp(rest)) {
    process.exitCode = await storeCommand(rest, OUTPUT);
    return;
  }
  if (command === "cluster" && !requestsHelp(rest)) {
    process.exitCode = await runClusterCommand(rest);
    return;
  }
  if (command === "venue" && !requestsHelp(rest)) return await runVenue(rest);
  if (command === "" || requestsHelp(argv)) {
    process.stdout.write(`${settingsHelp()}\n${storeCommandsHelp()}${clusterHelp()}\n${venueHelp()}`);
    return;
  }
  if (command !== "sandbox") throw unknown(command);
  const settings = readSettings({ env: process.env, argv: rest });
  const started = await openSandbox(settings);
  stopOnSignals(started, settings.store.kind === "postgres" ? LONGEST_LEAVE_MS : LONGEST_STOP_MS);
  const cancel = announceStandby(settings, started);
  const sandbox = await started.active.finally(cancel);
  process.stdout.write(settings.log === "json" ? jsonLine(sandbox) : greeting(settings, sandbox));
  sandbox.drained.then((sentence) => {
    process.stderr.write(`managed-orders: ${sentence}\n`);
    process.exit(0);
  }, fail);
  void sandbox.replaced.then((sentence) => {
    process.stderr.write(`managed-orders: ${sentence}\n`);
    // Nothing needs closing: what is durable belongs to the other process, and nothing else may be sent.
    process.exit(1);
  });
}

function unknown(command: string): SettingsError {
  const known = ["sandbox", "venue", "cluster", ...STORE_COMMANDS.keys()].join(", ");
  return new SettingsError(`no command ${shownSetting(command)}: use one of ${known}; --help explains them`);
}

/** How often a sandbox that does not serve yet looks whether another one does, in milliseconds. */
const LOOK_MS = 1_500;

/** Says once that a sandbox waits for another one. Returns a function that cancels it. */
function announceStandby({ log }: SandboxSettings, { standby }: StartedSandbox): () => void {
  if (standby === undefined) return () => undefined;
  const { url, controlUrl = null, isBehindAnother } = standby;
  const text =
    log === "json"
      ? JSON.stringify({ standby: true, url, controlUrl })
      : `Standby: another sandbox on this store is active. ${url} answers 503 until this one takes over.`;
  const timer = setInterval(() => {
    if (!isBehindAnother()) return;
    clearInterval(timer);
    process.stdout.write(`${text}\n`);
  }, LOOK_MS);
  return () => clearInterval(timer);
}

async function runVenue(argv: readonly string[]): Promise<void> {
  const settings = readVenueSettings({ env: process.env, argv });
  const venue = await startVenue(settings);
  stopOnSignals(venue, LONGEST_STOP_MS);
  const { url, controlUrl = null } = venue;
  const ready =
    settings.log === "json" ? JSON.stringify({ ready: true, url, controlUrl }) : `Venue ready: ${url}/v1`;
  process.stdout.write(`${ready}\n`);
}

/** The first signal ends what waits, in a defined state; a second one ends the process. */
async function runClusterCommand(argv: readonly string[]): Promise<number> {
  const stopping = new AbortController();
  const stop = (): void => {
    if (stopping.signal.aborted) process.exit(INTERRUPTED);
    stopping.abort();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  // Without a reader, `--watch` would never end, and nobody sees how far a drain or a move is.
  process.stdout.on("error", () => stopping.abort());
  return await clusterCommand(argv, {
    ...{ output: OUTPUT, clock: createSystemClock(), signal: stopping.signal },
    isTerminal: process.stdout.isTTY,
  });
}

/** Progress is shown on a terminal only, on one line that the next text replaces. */
const OUTPUT: CommandOutput = {
  print: (text) => void process.stdout.write(text),
  progress(text) {
    if (process.stderr.isTTY) process.stderr.write(`\r${text.padEnd(60)}\r`);
  },
};

function jsonLine({ url, wsUrl, controlUrl, exchange }: Sandbox): string {
  const { apiKey } = exchange.demoKey;
  return `${JSON.stringify({ ready: true, url, wsUrl, controlUrl: controlUrl ?? null, apiKey })}\n`;
}

/**
 * Returns the text that a person needs to start. It shows the secret only if it was generated here, because the person
 * cannot know it otherwise, and only on a terminal: other output is a log.
 */
function greeting(settings: SandboxSettings, { url, wsUrl, controlUrl, exchange }: Sandbox): string {
  const { apiKey, secret } = exchange.demoKey;
  const lines = [
    "Sandbox ready.",
    `  Console   ${url}/`,
    `  REST      ${url}/api`,
    `  WebSocket ${wsUrl}/ws/listenKey, ${wsUrl}/ws/liquidity`,
    `  Control   ${controlUrl === undefined ? "off" : `${controlUrl}/control`}`,
    `  API key   ${apiKey}`,
    ...(settings.demoKey === undefined
      ? [
          `  Secret    ${process.stdout.isTTY ? `${secret}   (demo account 1, this sandbox only)` : NOT_SHOWN}`,
        ]
      : []),
  ];
  return `${lines.join("\n")}\n`;
}

const NOT_SHOWN =
  "not shown, because the output is not a terminal; set SANDBOX_API_KEY and SANDBOX_API_SECRET to choose your own";

function stopOnSignals(sandbox: Readonly<{ stop: () => Promise<void> }>, longestMs: number): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    // While a manual clock stands still, an answer may never come. Exiting loses nothing that is durable.
    setTimeout(() => process.exit(0), longestMs);
    sandbox.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}

function fail(error: unknown): void {
  process.stderr.write(`managed-orders: ${startProblem(error)}\n`);
  process.exit(isForOperator(error) ? BAD_SETTING : 1);
}

main(process.argv.slice(2)).catch(fail);
