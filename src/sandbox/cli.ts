#!/usr/bin/env node
import { type Sandbox, startSandbox } from "./sandbox.ts";
import { asksForHelp, readSettings, type SandboxSettings, settingsHelp } from "./settings.ts";
import { SettingsError } from "./settings-error.ts";

/** Exit code for a setting that cannot be used, a port in use among them. */
const BAD_SETTING = 2;

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

function jsonLine({ url, controlUrl, exchange }: Sandbox): string {
  return `${JSON.stringify({ ready: true, url, controlUrl: controlUrl ?? null, apiKey: exchange.demoKey.apiKey })}\n`;
}

/** What a person needs to begin. The secret is shown only when it was made here: nobody else could tell it. */
function greeting(settings: SandboxSettings, { url, controlUrl, exchange }: Sandbox): string {
  const { apiKey, secret } = exchange.demoKey;
  const lines = [
    "Sandbox ready.",
    `  REST      ${url}/api`,
    `  Control   ${controlUrl === undefined ? "off" : `${controlUrl}/control`}`,
    `  API key   ${apiKey}`,
    ...(settings.demoKey === undefined
      ? [`  Secret    ${secret}   (demo account 1, this sandbox only)`]
      : []),
  ];
  return `${lines.join("\n")}\n`;
}

function stopOnSignals(sandbox: Sandbox): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    sandbox.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}

function fail(error: unknown): void {
  process.stderr.write(`managed-orders: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(isBadSetting(error) ? BAD_SETTING : 1);
}

function isBadSetting(error: unknown): boolean {
  if (error instanceof SettingsError) return true;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "EADDRINUSE" || code === "EACCES" || code === "EADDRNOTAVAIL" || code === "ENOENT";
}

main(process.argv.slice(2)).catch(fail);
