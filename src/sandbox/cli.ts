#!/usr/bin/env node
import { isForOperator, startProblem } from "./plain-words.ts";
import { type Sandbox, startSandbox } from "./sandbox.ts";
import { asksForHelp, readSettings, type SandboxSettings, settingsHelp } from "./settings.ts";

/** Exit code for what whoever starts it can mend: a setting, a port or a store in use, a file that cannot be used. */
const BAD_SETTING = 2;

/** How long the end may take that was asked for with a signal. */
const LONGEST_STOP_MS = 10_000;

async function main(argv: readonly string[]): Promise<void> {
  const [command, ...rest] = argv;
  if (command !== "sandbox" || asksForHelp(rest)) {
    const known = command === undefined || command === "sandbox" || asksForHelp(argv);
    process.stdout.write(settingsHelp());
    process.exitCode = known ? 0 : BAD_SETTING;
    return;
  }
  const settings = readSettings({ env: process.env, argv: rest });
  const sandbox = await startSandbox(settings);
  stopOnSignals(sandbox);
  process.stdout.write(settings.log === "json" ? jsonLine(sandbox) : greeting(settings, sandbox));
}

function jsonLine({ url, wsUrl, controlUrl, exchange }: Sandbox): string {
  const { apiKey } = exchange.demoKey;
  return `${JSON.stringify({ ready: true, url, wsUrl, controlUrl: controlUrl ?? null, apiKey })}\n`;
}

/**
 * What a person needs to begin. The secret is shown only when it was made here, since nobody else could tell it, and only
 * on a terminal: what is written elsewhere is a log.
 */
function greeting(settings: SandboxSettings, { url, wsUrl, controlUrl, exchange }: Sandbox): string {
  const { apiKey, secret } = exchange.demoKey;
  const lines = [
    "Sandbox ready.",
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

const NOT_SHOWN = "not shown, this is no terminal; set SANDBOX_API_KEY and SANDBOX_API_SECRET";

function stopOnSignals(sandbox: Sandbox): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    // Where the clock stands still an answer may never come; what is durable is not lost by going.
    setTimeout(() => process.exit(0), LONGEST_STOP_MS);
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
