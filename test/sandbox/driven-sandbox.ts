import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type SandboxProcess, startSandboxProcess } from "../support/sandbox-process.ts";

export const SYMBOL = "BTC/USD";
/** A whole minute. */
export const START_MS: number = Date.UTC(2026, 0, 2, 12);
export const SECOND_MS = 1_000;
export const MINUTE_MS: number = 60 * SECOND_MS;

/** The points at which POST /control/crash can kill the process. */
export const CRASH_POINTS = [
  "before-append",
  "after-append",
  "before-submit",
  "after-submit",
  "before-outcome-append",
] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

/** The venue's own record of a child. */
export type Child = Readonly<{
  clientOrderId: string;
  parentOrderId: number;
  side: string;
  quantity: string;
  price: string | null;
  executedQty: string;
  submissions: number;
  time: number;
}>;

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

/** The members of a managed order that these tests read. */
export type Order = Readonly<{
  orderId: number;
  status: string;
  apiState: string;
  held: boolean;
  origQty: string;
  executedQty: string;
  type: string;
}>;

/** The members of a list that these tests read. */
export type List = Readonly<{ orderListId: number; listOrderStatus: string; orderReports: readonly Order[] }>;

export type Fields = Readonly<Record<string, string | number | boolean>>;
type Sizes = Readonly<{ bidQuantity?: string; askQuantity?: string }>;

/** Steps of a quantity in one; quantities are compared as whole millionths. */
const MILLIONTHS = 1_000_000n;

/** Millionths of a quantity's text, exact. */
export function millionths(text: string): bigint {
  const [whole = "0", decimals = ""] = text.split(".");
  return BigInt(whole) * MILLIONTHS + BigInt(decimals.padEnd(6, "0"));
}

/** Sum of quantities, in millionths. */
export const sumOf = (texts: readonly string[]): bigint =>
  texts.reduce((sum, text) => sum + millionths(text), 0n);

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
    for (const child of await this.children())
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

  /** Sends a signed request that must be refused; returns the code. */
  async refused(
    method: "GET" | "POST" | "DELETE",
    path: string,
    fields: Fields,
  ): Promise<number | undefined> {
    const { status, body } = await this.#process.signed(method, path, fields);
    expect(status).toBe(400);
    return body.code;
  }

  place(fields: Fields): Promise<Order> {
    return this.asks("POST", "/api/order", { symbol: SYMBOL, ...fields });
  }

  order(orderId: number): Promise<Order> {
    return this.asks("GET", "/api/v2/order", { symbol: SYMBOL, orderId });
  }

  list(orderListId: number): Promise<List> {
    return this.asks("GET", "/api/v3/orderList", { orderListId });
  }

  children(orderId?: number): Promise<readonly Child[]> {
    return this.control("GET", orderId === undefined ? "children" : `children?orderId=${orderId}`);
  }

  journal(orderId: number): Promise<readonly ShownRecord[]> {
    return this.control("GET", `orders/${orderId}/journal`);
  }

  listJournal(listId: number): Promise<readonly ShownRecord[]> {
    return this.control("GET", `lists/${listId}/journal`);
  }

  /** Feeds a quote; a side without a size has unlimited size. */
  quote(bid: string, ask: string, sizes: Sizes = {}): Promise<unknown> {
    return this.control("POST", "quotes", { symbol: SYMBOL, bid, ask, ...sizes });
  }

  /** Feeds a trade of the present time at 100. */
  trade(quantity: string, id: string): Promise<unknown> {
    return this.control("POST", "trades", { symbol: SYMBOL, price: "100", quantity, id });
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

  /** Arms a crash and repeats an action until it happens, then restarts; fails if it does not happen. */
  async crashAt(at: CrashPoint, act: () => Promise<unknown>): Promise<void> {
    await this.control("POST", "crash", { at });
    const acted = act().then(
      () => "the crash did not come",
      // The request in which the process died has no answer.
      async () => await this.#process.ended,
    );
    expect(await acted).toBe("SIGKILL");
    this.#process = await startSandboxProcess(this.#environment);
  }

  /** Completes the look-ups that a crash left open: deadline and quiet time pass, without a quote. */
  async recover(): Promise<void> {
    await this.control("POST", "settle", {});
    for (let second = 0; second < 8; second++) await this.pass(SECOND_MS);
  }
}

/** The facts of one order in records, oldest first. */
export const factsOf = (records: readonly ShownRecord[], orderId: number): readonly ShownFact[] =>
  records.flatMap(({ changes }) =>
    changes.flatMap((change) => (change.orderId === orderId ? change.facts : [])),
  );
