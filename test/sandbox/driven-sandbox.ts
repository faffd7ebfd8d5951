import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type SandboxProcess, startSandboxProcess } from "../support/sandbox-process.ts";

export const SYMBOL = "BTC/USD";
/** A whole minute. */
export const START_MS: number = Date.UTC(2026, 0, 2, 12);
export const MINUTE_MS = 60_000;

/** A fact of a journal record, as the control interface shows it. */
export type ShownFact = Readonly<{
  kind: string;
  plan?: Readonly<{ startsAtMs: number; intervalMs: number; count: number; cumulative?: readonly number[] }>;
  child?: Readonly<{ quantity: string; slot?: number; intendedAtMs: number; limitPrice?: string }>;
  outcome?: string;
  status?: string;
  reason?: string;
  volume?: string;
}>;

/** A journal record, as the control interface shows it. */
export type ShownRecord = Readonly<{
  sequence: number;
  timeMs: number;
  cause: Readonly<{ kind: string; print?: Readonly<{ id: string }> }>;
  changes: readonly Readonly<{ orderId: number; facts: readonly ShownFact[] }>[];
}>;

type Order = Readonly<{ orderId: number; executedQty: string }>;
type Fields = Readonly<Record<string, string | number | boolean>>;

/** A sandbox on a manual clock and a separate store that a test drives, kills and restarts. */
export class DrivenSandbox {
  readonly #environment: Readonly<Record<string, string>>;
  #process: SandboxProcess;

  private constructor(environment: Readonly<Record<string, string>>, process: SandboxProcess) {
    this.#environment = environment;
    this.#process = process;
  }

  /** Starts one for this test; at the end of the test, runs the common checks and kills it. */
  static async start(settings: Readonly<Record<string, string>> = {}): Promise<DrivenSandbox> {
    const folder = await mkdtemp(join(tmpdir(), "managed-orders-driven-"));
    const environment = {
      STORE: `sqlite:${folder}/orders.db`,
      MARKET: "manual",
      CLOCK: "manual",
      CLOCK_START: String(START_MS),
      QUOTE_MAX_AGE_MS: String(60 * MINUTE_MS),
      ...settings,
    };
    const driven = new DrivenSandbox(environment, await startSandboxProcess(environment));
    onTestFinished(async () => {
      try {
        await driven.checkRecords();
      } finally {
        await driven.#process.kill();
        await rm(folder, { recursive: true, force: true });
      }
    });
    return driven;
  }

  /** I53: the journal alone restores the state; I21: no child arrived twice at the venue. */
  async checkRecords(): Promise<void> {
    expect(await this.control("GET", "verify")).toMatchObject({ equal: true });
    type Child = Readonly<{ clientOrderId: string; submissions: number }>;
    for (const child of await this.control<readonly Child[]>("GET", "children"))
      expect([child.clientOrderId, child.submissions]).toEqual([child.clientOrderId, 1]);
  }

  control<T>(method: "GET" | "POST", path: string, body?: unknown): Promise<T> {
    return this.#process.control<T>(method, path, body);
  }

  /** Sends a signed request that must be answered with 200. */
  async asks<T>(method: "GET" | "POST" | "DELETE", path: string, fields: Fields): Promise<T> {
    const { status, body } = await this.#process.signed(method, path, fields);
    expect([path, status, body]).toEqual([path, 200, body]);
    return body as T;
  }

  place(fields: Fields): Promise<Order> {
    return this.asks("POST", "/api/order", { symbol: SYMBOL, ...fields });
  }

  order(orderId: number): Promise<Order> {
    return this.asks("GET", "/api/v2/order", { symbol: SYMBOL, orderId });
  }

  async nowMs(): Promise<number> {
    return (await this.control<{ now: number }>("GET", "clock")).now;
  }

  pass(advanceMs: number): Promise<unknown> {
    return this.control("POST", "clock", { advanceMs });
  }

  async passTo(now: number): Promise<void> {
    await this.control("POST", "clock", { now });
  }

  /** Kills the process with SIGKILL and restarts it on the same store. */
  async restart(): Promise<void> {
    await this.#process.kill();
    this.#process = await startSandboxProcess(this.#environment);
  }
}
