import { onTestFinished } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { readSettings } from "../../src/sandbox/settings.ts";
import { blocksOf } from "./markdown.ts";
import { settingsOf } from "./sandbox-settings.ts";

/**
 * Starts the sandbox as the page of an example says, in memory and on free ports, until the end of the test. `settings`
 * replace those of the page.
 */
export async function sandboxOf(
  name: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Sandbox> {
  const [block] = blocksOf(`examples/${name}/README.md`).filter(({ text }) => text.includes("npm start"));
  if (block === undefined) throw new Error(`examples/${name}/README.md starts no sandbox`);
  const test = { STORE: "memory:", PORT: "auto", CONTROL_PORT: "auto" };
  const sandbox = await startSandbox(
    readSettings({ env: { ...settingsOf(block), ...test, ...settings }, argv: [] }),
  );
  onTestFinished(() => sandbox.stop());
  return sandbox;
}
