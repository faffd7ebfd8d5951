import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { encodeQuery, type RequestParameters, sign } from "../../src/signing/index.ts";
import { type JsonValue, readJson, writeJson } from "../../src/wire/index.ts";
import { KEY, type SandboxProcess, SECRET, startSandboxProcess } from "../support/sandbox-process.ts";

const SYMBOL = "BTC/USD";
const START_MS: number = Date.UTC(2026, 0, 2, 12);
const FIRST = 9_007_199_254_740_993n;

type Row = Readonly<Record<string, JsonValue>>;
type Answer = Readonly<{ status: number; body: Row }>;

/** A request with its signature in the header, exactly as it can be sent again. */
type SignedRequest = Readonly<{ method: string; target: string; body: string; signature: string }>;

let nonces = 0;

/** A sandbox on a separate file that this test kills and restarts. */
class NativeSandbox {
  readonly #environment: Readonly<Record<string, string>>;
  process: SandboxProcess;

  private constructor(environment: Readonly<Record<string, string>>, process: SandboxProcess) {
    this.#environment = environment;
    this.process = process;
  }

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<NativeSandbox> {
    const folder = await mkdtemp(join(tmpdir(), "managed-orders-native-"));
    const environment = {
      STORE: `sqlite:${folder}/orders.db`,
      MARKET: "manual",
      CLOCK: "manual",
      CLOCK_START: String(START_MS),
      QUOTE_MAX_AGE_MS: "3600000",
      ...settings,
    };
    const sandbox = new NativeSandbox(environment, await startSandboxProcess(environment));
    onTestFinished(async () => {
      await sandbox.process.kill();
      await rm(folder, { recursive: true, force: true });
    });
    return sandbox;
  }

  /** The venue's own record, as it is on disk. */
  record(): string {
    const path = this.#environment["STORE"]?.replace(/^sqlite:(.*)\.db$/, "$1.venue.jsonl") ?? "";
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }

  async again(): Promise<void> {
    this.process = await startSandboxProcess(this.#environment);
  }

  async restart(): Promise<void> {
    await this.process.kill();
    await this.again();
  }

  async send({ method, target, body, signature }: SignedRequest): Promise<Answer> {
    const headers = { "X-MBX-APIKEY": KEY, signature, "Content-Type": "application/json" };
    const reply = await fetch(`${this.process.url}${target}`, {
      method,
      headers,
      ...(body !== "" && { body }),
    });
    return { status: reply.status, body: readJson(await reply.text()) as Row };
  }

  post(path: string, fields: RequestParameters): Promise<Answer> {
    return this.send(posting(path, fields));
  }

  place(fields: RequestParameters): Promise<Answer> {
    return this.post("/api/v2/order", {
      symbol: SYMBOL,
      side: "BUY",
      type: "LIMIT",
      quantity: "1",
      ...fields,
    });
  }

  async get(path: string, fields: RequestParameters = {}): Promise<Answer> {
    const { now } = await this.control<{ now: number }>("GET", "clock");
    return await this.send(
      signing("GET", path, { symbol: SYMBOL, ...fields, timestamp: now, recvWindow: ++nonces }),
    );
  }

  cancel(fields: RequestParameters): Promise<Answer> {
    return this.send(signing("DELETE", "/api/v2/order", { symbol: SYMBOL, ...fields, nonce: ++nonces }));
  }

  async orders(fields: RequestParameters = {}): Promise<readonly Row[]> {
    const { status, body } = await this.get("/api/v2/allOrders", fields);
    expect([status, body]).toEqual([200, body]);
    return body as unknown as readonly Row[];
  }

  control<T>(method: "GET" | "POST", path: string, body?: unknown): Promise<T> {
    return this.process.control<T>(method, path, body);
  }

  quote(bid: string, ask: string, sizes: object = {}): Promise<unknown> {
    return this.control("POST", "quotes", { symbol: SYMBOL, bid, ask, ...sizes });
  }

  async balances(): Promise<Readonly<Record<string, string>>> {
    return (await this.control<{ balances: Record<string, string> }>("GET", "accounts/1")).balances;
  }

  async printsCounted(): Promise<number> {
    return (await this.control<{ printsCounted: number }>("GET", "metrics")).printsCounted;
  }
}

function signing(method: string, path: string, fields: RequestParameters): SignedRequest {
  const query = encodeQuery(fields);
  return {
    method,
    target: `${path}?${query}`,
    body: "",
    signature: sign({ secret: SECRET, payload: query }),
  };
}

function posting(path: string, fields: RequestParameters): SignedRequest {
  const [query, body] = [`nonce=${++nonces}`, writeJson(fields)];
  return {
    method: "POST",
    target: `${path}?${query}`,
    body,
    signature: sign({ secret: SECRET, payload: query + body }),
  };
}

const linesOf = (rows: readonly Row[]): readonly string[] =>
  rows.map(({ clientOrderId, status, executedQty }) => `${clientOrderId} ${status} ${executedQty}`);

describe("native orders of the sandbox", () => {
  it("I01: a restart restores orders and history byte for byte; resting orders fill after it, ids continue", async () => {
    const sandbox = await NativeSandbox.start();
    await sandbox.quote("100", "101");
    await sandbox.place({ price: "101", newClientOrderId: "filled" });
    await sandbox.place({ price: "90", newClientOrderId: "rests" });
    const read = async (): Promise<readonly unknown[]> => [
      await sandbox.orders(),
      (await sandbox.post("/api/v2/getOrderHistory", {})).body,
      await sandbox.balances(),
    ];
    const before = await read();
    await sandbox.restart();
    expect(await read()).toEqual(before);
    await sandbox.quote("89", "90");
    expect(linesOf(await sandbox.orders())).toEqual(["filled FILLED 1", "rests FILLED 1"]);
    expect((await sandbox.place({ price: "1" })).body["orderId"]).toBe(FIRST + 20n);
  });

  it("SIGKILL between placement and answer: the order exists once, whatever the client does then", async () => {
    const sandbox = await NativeSandbox.start();
    await sandbox.quote("100", "101");
    for (let round = 1; round <= 6; round++) {
      const clientOrderId = `round-${round}`;
      // Three rest, three are filled at once and could be filled twice.
      const price = round % 2 === 0 ? "1" : "101";
      const request = posting("/api/v2/order", {
        symbol: SYMBOL,
        side: "BUY",
        type: "LIMIT",
        quantity: "1",
        price,
        newClientOrderId: clientOrderId,
      });
      const answered = sandbox.send(request).catch(() => undefined);
      while (!sandbox.record().includes(`"${clientOrderId}"`)) await new Promise(setImmediate);
      await sandbox.process.kill();
      await answered;
      await sandbox.again();
      await sandbox.quote("100", "101");
      const status = price === "1" ? "NEW" : "FILLED";
      const found = await sandbox.get("/api/v2/order", { clOrdId: clientOrderId });
      expect(found.body).toMatchObject({ clientOrderId, status });
      const again = await sandbox.send(request);
      expect([again.status, again.body["orderId"], again.body["status"]]).toEqual([
        200,
        found.body["orderId"],
        status,
      ]);
      const ofRound = await sandbox.orders({ clOrdId: clientOrderId });
      expect(ofRound).toHaveLength(1);
      if (status === "NEW") {
        const fresh = await sandbox.place({ price, newClientOrderId: clientOrderId });
        expect([fresh.status, fresh.body["code"]]).toEqual([400, -2010]);
      }
    }
    expect(await sandbox.balances()).toMatchObject({ BTC: "1003", USD: "9999697" });
    // Each fill is one print, also if the process died before it was reported.
    await sandbox.restart();
    await sandbox.control("POST", "settle", {});
    expect(await sandbox.control("GET", "metrics")).toMatchObject({ printsCounted: 0, printsDropped: 3 });
    expect(await sandbox.control("GET", "verify")).toMatchObject({ equal: true });
  });

  it("I71: while native orders fail every read of them is 503 -1001, never an empty list; managed orders continue", async () => {
    const sandbox = await NativeSandbox.start();
    await sandbox.place({ price: "1", newClientOrderId: "mine" });
    await sandbox.control("POST", "faults", { native: { mode: "fail" } });
    for (const answer of [
      await sandbox.get("/api/v2/allOrders"),
      await sandbox.get("/api/v2/order", { orderId: FIRST }),
      await sandbox.get("/api/v2/order", { clOrdId: "mine" }),
      await sandbox.post("/api/v2/orderStatus", { symbol: SYMBOL, clOrdId: "mine" }),
      await sandbox.post("/api/v2/getOrderHistory", {}),
    ]) {
      expect([answer.status, answer.body["code"]]).toEqual([503, -1001]);
    }
    const placed = await sandbox.place({ price: "1" });
    expect([placed.status, placed.body["code"]]).toEqual([503, -1001]);
    const managed = { symbol: SYMBOL, side: "BUY", type: "STOP", quantity: "1", stopPrice: "200" };
    const parent = await sandbox.post("/api/order", { ...managed, newClientOrderId: "managed" });
    expect((await sandbox.get("/api/v2/order", { clOrdId: "managed" })).body["orderId"]).toBe(
      parent.body["orderId"],
    );
    await sandbox.control("POST", "faults", { native: { mode: "none" } });
    expect(linesOf(await sandbox.orders())).toEqual(["mine NEW 0"]);
  });
});

describe("ORDER_REJECT_PERSISTENCE_ENABLED", () => {
  /** Has one native and one managed order refused. */
  async function refuseTwo(sandbox: NativeSandbox): Promise<void> {
    const poor = await sandbox.place({ price: "1", quantity: "99999999", newClientOrderId: "poor" });
    expect(poor.body["code"]).toBe(-2010);
    const small = { symbol: SYMBOL, side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "1", price: "14" };
    expect((await sandbox.post("/api/order", { ...small, newClientOrderId: "small" })).body["code"]).toBe(
      -1013,
    );
  }
  const found = async (sandbox: NativeSandbox): Promise<readonly unknown[]> => {
    const answers: unknown[] = [];
    for (const clOrdId of ["poor", "small"]) {
      const { body } = await sandbox.get("/api/v2/order", { clOrdId });
      answers.push(body["rejectReason"] ?? body["code"]);
    }
    return answers;
  };

  it("true: refusals survive SIGTERM, and SIGKILL once they were written", async () => {
    const sandbox = await NativeSandbox.start({ ORDER_REJECT_PERSISTENCE_ENABLED: "true" });
    await refuseTwo(sandbox);
    expect(await found(sandbox)).toEqual(["INSUFFICIENT_BALANCES", "MIN_NOTIONAL"]);
    sandbox.process.process.kill("SIGTERM");
    expect(await sandbox.process.ended).toBe(0);
    await sandbox.again();
    expect(await found(sandbox)).toEqual(["INSUFFICIENT_BALANCES", "MIN_NOTIONAL"]);
    for (let count = 0; count < 20; count++) {
      await sandbox.place({ price: "1", quantity: "99999999", newClientOrderId: `more-${count}` });
    }
    // A refusal is answered before it is retained.
    await expect
      .poll(() => sandbox.control("GET", "metrics"), { timeout: 20_000 })
      .toMatchObject({ rejectionsRetained: 20, rejectionsLost: 0 });
    await sandbox.restart();
    expect(await found(sandbox)).toEqual(["INSUFFICIENT_BALANCES", "MIN_NOTIONAL"]);
    expect((await sandbox.get("/api/v2/order", { clOrdId: "more-0" })).body["status"]).toBe("REJECTED");
  });

  it("false, the default: the newest 16 of an account are kept until a restart", async () => {
    const sandbox = await NativeSandbox.start();
    await refuseTwo(sandbox);
    expect(await found(sandbox)).toEqual(["INSUFFICIENT_BALANCES", "MIN_NOTIONAL"]);
    expect(await sandbox.control("GET", "metrics")).toMatchObject({
      rejectionsRetained: 2,
      rejectionsLost: 0,
    });
    await sandbox.restart();
    expect(await found(sandbox)).toEqual([-2013, -2013]);
  });
});
