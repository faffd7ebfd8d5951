/** A sandbox in a process of its own, built by `npm start`, that a test of the console page kills and starts again. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../node_modules/.cache/sandbox.mjs", import.meta.url));

export const KEY = "console-key";
export const SECRET = "console-secret";

/** Settings with a market that moves only through the control interface, and short pauses. */
const SETTINGS = {
  ...{ MARKET: "manual", QUOTE_MAX_AGE_MS: "600000", LOG: "json" },
  ...{ SANDBOX_API_KEY: KEY, SANDBOX_API_SECRET: SECRET },
  ...{ SUBMIT_DEADLINE_MS: "300", VENUE_QUIET_MS: "0", RETRY_MIN_MS: "10" },
};

export class Sandbox {
  #folder = mkdtempSync(join(tmpdir(), "managed-orders-console-"));
  #ports = { PORT: "auto", CONTROL_PORT: "auto" };
  #child;

  /** Starts it, or starts it again on the same ports and store. */
  async start() {
    const env = {
      PATH: process.env.PATH,
      STORE: `sqlite:${this.#folder}/orders.db`,
      ...SETTINGS,
      ...this.#ports,
    };
    this.#child = spawn(process.execPath, [program, "sandbox"], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.ended = new Promise((resolve) =>
      this.#child.once("exit", (code, signal) => resolve(signal ?? code)),
    );
    const lines = createInterface({ input: this.#child.stdout });
    const line = await Promise.race([
      new Promise((resolve) => lines.once("line", resolve)),
      this.ended.then((how) => Promise.reject(new Error(`the sandbox ended with ${how}`))),
    ]);
    const { url, controlUrl } = JSON.parse(line);
    Object.assign(this, { url, controlUrl });
    this.#ports = { PORT: new URL(url).port, CONTROL_PORT: new URL(controlUrl).port };
  }

  async control(method, path, body) {
    const init = body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    const reply = await fetch(`${this.controlUrl}/control/${path}`, { method, ...init });
    return await reply.json();
  }

  quote(bid, ask, symbol = "BTC/USD") {
    return this.control("POST", "quotes", { symbol, bid, ask });
  }

  async stop() {
    this.#child.kill("SIGKILL");
    await this.ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
