import { createMemoryAccounts, createMemoryExposure } from "../../src/adapters/memory/index.ts";
import { createEntropy, createSystemClock } from "../../src/adapters/node/index.ts";
import { openPostgresStore } from "../../src/adapters/postgres/index.ts";
import { openNode } from "../../src/cluster/index.ts";
import type { Engine } from "../../src/engine/index.ts";
import { type ChildRequest, SHARD_COUNT } from "../../src/model/index.ts";
import type { ChildReport, MarketSink, NotFound, QuoteInput } from "../../src/ports/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createCatalogue } from "../../src/sandbox/catalogue.ts";

/** What the parent tells a node. Quotes go to every node; answers of the venue carry the number of the question. */
export type ToNode =
  | Readonly<{ kind: "quote"; quote: QuoteInput }>
  | Readonly<{ kind: "place"; order: OrderFields }>
  | Readonly<{ kind: "verify" }>
  | Readonly<{ kind: "close" }>
  | Readonly<{ kind: "answer"; number: number; answer: ChildReport | NotFound }>;

/** What a node tells the parent. */
export type FromNode =
  | Readonly<{ kind: "status"; state: string }>
  | Readonly<{ kind: "submit"; number: number; child: ChildRequest; deadlineMs: number }>
  | Readonly<{ kind: "lookup"; number: number; child: ChildRequest }>
  | Readonly<{ kind: "placed"; clientOrderId: string; error?: string }>
  | Readonly<{ kind: "verified"; equal: boolean; open: number; unknown: number; loads: number }>
  | Readonly<{ kind: "closed" }>;

/** Address of the store, and the term of leases in milliseconds. */
export type NodeTask = Readonly<{ name: string; url: string; schema: string; ttlMs: number }>;

const ACCOUNT = 1;

/** Number of shards whose snapshot was read. */
let loads = 0;

const report = (message: FromNode): void => void process.send?.(message);

/** Runs a node of a cluster whose venue and market are in the parent process. */
export async function runNode({ name, url, schema, ttlMs }: NodeTask): Promise<void> {
  const waiting = new Map<number, (answer: ChildReport | NotFound) => void>();
  const sinks = new Set<MarketSink>();
  let requested = 0;
  const ask = (
    kind: "submit" | "lookup",
    child: ChildRequest,
    deadlineMs = 0,
  ): Promise<ChildReport | NotFound> =>
    new Promise((resolve) => {
      const number = ++requested;
      waiting.set(number, resolve);
      report(kind === "submit" ? { kind, number, child, deadlineMs } : { kind, number, child });
    });
  const opened = await openPostgresStore({ url, schema, requireDurability: false });
  const store: typeof opened = {
    ...opened,
    readSnapshot(...requested) {
      loads++;
      return opened.readSnapshot(...requested);
    },
  };
  const account = {
    accountId: ACCOUNT,
    userId: 1,
    enableDataSharing: true,
    delegates: [],
    restricted: false,
  };
  const node = await openNode({
    store,
    instruments: createCatalogue(),
    accounts: createMemoryAccounts([{ account, keys: [] }]),
    exposure: createMemoryExposure(),
    venue: {
      capabilities: { honoursDeadline: true, canVoid: false },
      submit: async (child, { deadlineMs }) => (await ask("submit", child, deadlineMs)) as ChildReport,
      lookup: (child) => ask("lookup", child),
      subscribe: () => () => undefined,
    },
    marketData: {
      subscribe(sink) {
        sinks.add(sink);
        return () => sinks.delete(sink);
      },
    },
    clock: createSystemClock(),
    entropy: createEntropy(),
    telemetry: { event: () => undefined },
    settings: {
      advancedOrders: true,
      submitDeadlineMs: 300,
      venueQuietMs: 200,
      retryMinMs: 20,
      retryMaxMs: 100,
    },
    cluster: { name, ttlMs, standby: true },
  });
  let engine: Engine | undefined;
  process.on("message", (message: ToNode) => {
    if (message.kind === "quote") for (const sink of sinks) sink.quote(message.quote);
    else if (message.kind === "answer") waiting.get(message.number)?.(message.answer);
    else if (engine !== undefined) void obey(engine, message);
  });
  process.on("disconnect", () => process.exit(0));
  await new Promise<void>((resolve) => {
    const look = (): void => {
      const { state, shards, keepsMarket } = node.status();
      if (state !== "active") report({ kind: "status", state });
      if (shards === SHARD_COUNT && keepsMarket) resolve();
    };
    node.onStatus(look);
    look();
  });
  engine = node.engine;
  engine.events.on("status", ({ change }) => report({ kind: "status", state: change }));
  report({ kind: "status", state: "active" });
}

async function obey(engine: Engine, message: Exclude<ToNode, { kind: "quote" | "answer" }>): Promise<void> {
  if (message.kind === "place") {
    const clientOrderId = message.order.newClientOrderId ?? "";
    await engine.place({ accountId: ACCOUNT, order: message.order }).then(
      () => report({ kind: "placed", clientOrderId }),
      (error: Error) => report({ kind: "placed", clientOrderId, error: error.message }),
    );
  } else if (message.kind === "verify") {
    const before = loads;
    const { equal } = await engine.verify();
    loads = before;
    const { openParents, unknown } = engine.metrics();
    report({ kind: "verified", equal, open: openParents, unknown, loads });
  } else {
    await engine.close();
    report({ kind: "closed" });
  }
}
