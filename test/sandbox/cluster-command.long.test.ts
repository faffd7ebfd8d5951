import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSystemClock } from "../../src/adapters/node/index.ts";
import { openPostgresStore, type PostgresStore } from "../../src/adapters/postgres/index.ts";
import type { MoveOutcome, NodeReport } from "../../src/cluster/index.ts";
import { clusterCommand, nodeNamed } from "../../src/sandbox/cluster-command.ts";
import { moveStep, moveText, rangesOf, shardsNamed } from "../../src/sandbox/cluster-move.ts";
import { drainText, nodesText, shardsText } from "../../src/sandbox/cluster-tables.ts";
import { type PGliteServer, startPGlite } from "../adapters/postgres/pglite-server.ts";

/** All shards, and the market journal. */
const ALL = Array.from({ length: 257 }, (_, shard) => shard);
const SECRET = "not-to-be-shown";
const ENTRY = { address: "10.0.0.5:7443", version: "1.0", format: 1, kinds: [], ttlMs: 400 };

let server: PGliteServer;
let store: PostgresStore;
let url: string;

beforeAll(async () => {
  server = await startPGlite();
  url = `${server.url}?schema=orders`;
  store = await openPostgresStore({ url: server.url, schema: "orders", requireDurability: false });
});
afterAll(async () => {
  await store.close();
  await server.close();
});

type Run = Readonly<{ code: number; answer: string; shown: string }>;

async function run(
  argv: readonly string[],
  signal = new AbortController().signal,
  onAnswer: () => void = () => undefined,
): Promise<Run> {
  const [answer, shown] = [[] as string[], [] as string[]];
  const output = {
    print(text: string) {
      answer.push(text);
      onAnswer();
    },
    progress: (text: string) => void shown.push(text),
  };
  const clock = createSystemClock();
  const code = await clusterCommand(argv, { output, clock, signal, isTerminal: false });
  return { code, answer: answer.join(""), shown: shown.join("") };
}

/** A node that beats until it is stopped, and that answers a wish as its host would. */
async function startNode(name: string, role: "owner" | "standby" | "owns and shares" | "shares") {
  const isOwner = role.startsWith("own");
  const { incarnation } = await store.leases.join({ ...ENTRY, name, shares: role.endsWith("shares") });
  if (isOwner) await store.leases.claim({ incarnation, shards: ALL });
  let [isStopped, isDeaf] = [false, true];
  let state: "active" | "ready" = isOwner ? "active" : "ready";
  const beat = async (): Promise<void> => {
    if (isStopped) return;
    const { wanted } = await store.leases.renew({ incarnation, state, followed: 2 });
    if (wanted === "hand-over" && !isDeaf && state === "active") {
      state = "ready";
      await store.leases.release({ incarnation, shards: ALL });
      await store.leases.want({ incarnation });
    }
    setTimeout(() => {
      running = beat();
    }, ENTRY.ttlMs / 10);
  };
  let running = beat();
  return {
    incarnation,
    heeds: () => {
      isDeaf = false;
    },
    stop: async () => {
      isStopped = true;
      await running;
      await store.leases.leave(incarnation);
    },
  };
}

describe("managed-orders cluster", () => {
  it("nodes, shards and drain show a store, its nodes and what becomes of them", async () => {
    const empty = await run(["nodes", url]);
    expect(empty).toMatchObject({ code: 1, answer: "No node has joined this store.\n" });
    const owner = await startNode("node-1", "owner");
    const next = await startNode("node-2", "standby");
    const { code, answer } = await run(["nodes", url]);
    expect(code).toBe(0);
    expect(answer).toMatch(/1 +node-1 +10\.0\.0\.5:7443 +1\.0 +active +\d+ +live +no +256 +- +- +-\n/);
    expect(answer).toMatch(/2 +node-2 .* ready +\d+ +live +no +0 +- +0 records +-\n/);
    expect(answer).toContain("All 256 shards and the market journal have an owner that lives.");
    const json = JSON.parse((await run(["nodes", url, "--json"])).answer);
    expect(json).toMatchObject({ unserved: 0, nodes: [{ incarnation: 1, life: "live", shards: 256 }, {}] });
    expect((await run(["shards", url])).answer).toMatch(
      /\n0-255 +node-1 \(1\) +- +1 +0 +-\nmarket +node-1 \(1\) +- +1 +- +-\n$/,
    );
    expect((await run(["shards", url, "--all"])).answer.split("\n")).toHaveLength(259);
    const stopping = new AbortController();
    stopping.abort();
    const stopped = await run(["drain", url, "1", "--json"], stopping.signal);
    expect([stopped.code, JSON.parse(stopped.answer)]).toMatchObject([
      130,
      { kind: "stopped", isWithdrawn: true },
    ]);
    owner.heeds();
    const drained = run(["drain", url, "node-1"]);
    while ((await store.leases.claim({ incarnation: next.incarnation, shards: ALL })) === undefined);
    expect(await drained).toMatchObject({
      code: 0,
      answer: expect.stringMatching(/handed over. Owner now: 2.\n$/),
    });
    await owner.stop();
    await next.stop();
  });

  it("move gives shards to a node that shares, shows what is on its way, says whether they stay, and withdraws it when it is interrupted", async () => {
    const owner = await startNode("node-1", "owns and shares");
    const next = await startNode("node-2", "shares");
    const other = await startNode("node-3", "standby");
    const { leases } = store;
    const moved = run(["move", url, "0-31,40,market", "node-2"]);
    const given = [...ALL.slice(0, 32), 40, 256];
    while ((await leases.nodes()).shards[256]?.next !== next.incarnation);
    const [a, b] = [`node-1 (${owner.incarnation})`, `node-2 (${next.incarnation})`];
    const { answer } = await run(["nodes", url]);
    expect(answer).toMatch(/node-1 .* yes +256 +223 +- +-\n/);
    expect(answer).toMatch(/node-2 .* yes +0 +33 +0 records +-\n/);
    expect(answer).toMatch(/node-3 .* no +0 +- +0 records +-\n/);
    const { shards } = JSON.parse((await run(["shards", url, "--json"])).answer);
    expect(shards[40]).toMatchObject({ owner: { name: "node-1" }, next: { name: "node-2" } });
    const rows = (await run(["shards", url])).answer
      .split("\n")
      .map((line) => line.split(/ {2,}/).slice(0, 3));
    expect(rows.slice(1, 5)).toEqual([
      ["0-31", a, b],
      ["32-39", a, "-"],
      ["40", a, b],
      ["41-255", a, "-"],
    ]);
    await leases.release({ incarnation: owner.incarnation, shards: given });
    await leases.claim({ incarnation: next.incarnation, shards: given });
    const { code, answer: text } = await moved;
    expect([code, text.split("\n").at(-2)]).toEqual([
      0,
      expect.stringContaining(`${b} got 0-31,40,market, but the nodes make their shares even again`),
    ]);
    const stopping = new AbortController();
    stopping.abort();
    const stopped = await run(["move", url, "50", "node-2", "--json"], stopping.signal);
    expect([stopped.code, JSON.parse(stopped.answer)]).toEqual([
      130,
      {
        ...{ kind: "aborted", left: [50], isWithdrawn: true, shards: [50] },
        node: { incarnation: next.incarnation, name: "node-2" },
      },
    ]);
    expect((await leases.nodes()).shards.filter((shard) => shard.next !== undefined)).toEqual([]);
    const half = ALL.slice(130, 226);
    await leases.release({ incarnation: owner.incarnation, shards: half });
    await leases.claim({ incarnation: next.incarnation, shards: half });
    const stored = await run(["move", url, "130-131", "node-2", "--json"]);
    expect([stored.code, JSON.parse(stored.answer)]).toMatchObject([0, { kind: "moved", stays: true }]);
    const refused = await run(["move", url, "50", "node-3"]);
    expect(refused).toMatchObject({ code: 1, answer: expect.stringContaining("takes all shards or none") });
    for (const node of [owner, next, other]) await node.stop();
  });

  it("--watch reads until a signal comes", async () => {
    const stopping = new AbortController();
    const { code, answer } = await run(["shards", url, "--watch", "--json"], stopping.signal, () =>
      stopping.abort(),
    );
    expect([code, answer.split("\n").length]).toEqual([0, 2]);
  });

  it("wrong arguments are answered with what is right, and never with the URL", async () => {
    for (const argv of [[], ["nods", url]])
      await expect(run(argv)).rejects.toThrow("usage: managed-orders cluster nodes URL");
    for (const argv of [
      ["drain", url],
      ["drain", url, "a", "--limit", "0"],
      ["drain", url, "a", "--watch"],
    ])
      await expect(run(argv)).rejects.toThrow("usage: managed-orders cluster drain URL NODE");
    await expect(run(["move", url, "a"])).rejects.toThrow(
      "usage: managed-orders cluster move URL SHARDS NODE",
    );
    await expect(run(["move", url, "0-256", "a"])).rejects.toThrow("shards are numbers from 0 to 255");
    await expect(run(["nodes", "sqlite:orders.db"])).rejects.toThrow("a cluster is on a Postgres store");
    await expect(run(["nodes", "postgres:// wrong"])).rejects.toThrow("its value is not shown");
    await expect(run(["nodes", url.replace("=orders", "=nothing")])).rejects.toThrow("holds no store");
    await expect(run(["nodes", "postgres://orders@127.0.0.1:1/exchange"])).rejects.toThrow("ECONNREFUSED");
    const secret = `postgres://orders:${SECRET}@127.0.0.1:1/exchange`;
    await expect(run(["nodes", secret])).rejects.toThrow(/^(?!.*not-to-be-shown).*PGPASSWORD/s);
  });
});

const node = (incarnation: number, name: string, more: Partial<NodeReport> = {}): NodeReport => ({
  ...{ incarnation, name, address: "", version: "", state: "ready", beat: 1, life: "live", watchedMs: 0 },
  ...{ shards: 0, shares: false, coming: 0, going: 0, ttlMs: 10_000, ...more },
});

describe("shards that an operator names", () => {
  it("numbers, ranges and the market journal, in any order", () => {
    expect(shardsNamed("7")).toEqual([7]);
    expect(shardsNamed("0-31,40")).toEqual([...ALL.slice(0, 32), 40]);
    expect(shardsNamed("market,3-4,0-3")).toEqual([0, 1, 2, 3, 4, 256]);
    expect(shardsNamed("0-255,market")).toEqual(ALL);
    for (const word of ["", ",", "1,", "256", "-1", "4-3", "1-2-3", "1-", "0x1", "1 2", "all", "1-market"])
      expect(() => shardsNamed(word), word).toThrow("such as 7, 0-31 or 0-31,40,market; got");
    expect(() => shardsNamed("\u001b[2J")).toThrow("got ?[2J");
  });

  it("are shown as they can be given again", () => {
    for (const word of ["7", "0-31,40", "0-255,market", "1,3,5-6", "254-255", "market"])
      expect(rangesOf(shardsNamed(word))).toBe(word);
  });

  it("every outcome is said in words", () => {
    const row = node(4, "b\u001b");
    const text = (outcome: MoveOutcome): string => moveText(outcome, { shards: [1, 2, 3], row }, true);
    const end = { left: [2, 3], isWithdrawn: true };
    expect(text({ kind: "moved" })).toBe("b? (4) owns 1-3.\n");
    expect(text({ ...end, kind: "refused", why: "dead" })).toBe(
      "b? (4) is dead: another node has declared it so. b? (4) has not got 2-3.\n",
    );
    expect(text({ ...end, kind: "limit" })).toContain(
      "The time is over. b? (4) has not got 2-3. Their owners are not",
    );
    expect(text({ ...end, kind: "aborted", isWithdrawn: false })).toMatch(/^Interrupted. .* did not confirm/);
    expect(moveStep({ left: 3, released: 2, elapsedMs: 1_500 })).toBe(
      "1.5 s: it does not own 3 of the shards yet; 2 of them are released, and it can claim them",
    );
  });
});

describe("names of nodes", () => {
  const nodes = [node(1, "a"), node(2, "node-2"), node(3, "a"), node(4, "node-2", { life: "dead" })];

  it("a name that one node has, or the number of a start; anything else is answered with what exists", () => {
    expect(nodeNamed(nodes, "node-2").incarnation).toBe(2);
    expect(nodeNamed(nodes, "4").incarnation).toBe(4);
    expect(() => nodeNamed(nodes, "a")).toThrow(
      "several nodes are called a: give the number of one of them: a (1), a (3)",
    );
    expect(() => nodeNamed(nodes, "node2")).toThrow(
      "Did you mean node-2? There are: a (1), node-2 (2), a (3)",
    );
    expect(() => nodeNamed([], "x")).toThrow("the store has no live nodes");
  });

  it("a name cannot command the terminal", () => {
    const evil = node(1, "\u001b[2Jroot\u202e\n");
    expect(nodesText({ nodes: [evil], shards: [], unserved: 0 })).toContain("?[2Jroot??");
    const late = { kind: "late", step: "handing-over", isWithdrawn: true } as const;
    expect(drainText(late, node(1, "a"))).toBe(
      "The time is over. a (1) is not asked any more, but had begun: it hands over if a node is ready within two ttl, and goes on otherwise.\n",
    );
    expect(drainText({ kind: "nothing-owned" }, evil)).not.toContain("\u001b");
    const owner = { incarnation: 1, name: evil.name };
    expect(shardsText([{ shard: 0, epoch: 1, sequence: 0, owner }], false)).not.toContain("\u001b");
  });

  it("neighbours with one owner, epoch and node to which they go are one row", () => {
    const owner = { incarnation: 1, name: "a" };
    const rows = [0, 1, 2, 3].map((shard) => ({
      ...{ shard, epoch: shard < 2 ? 1 : 2, sequence: 10 },
      ...(shard < 3 && { owner, snapshot: { sequence: 5, parents: 7 } }),
    }));
    const lines = shardsText(rows, false).split("\n").slice(1, -1);
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ["0-1", "a (1)", "-", "1", "20", "14"],
      ["2", "a (1)", "-", "2", "10", "7"],
      ["3", "nobody", "-", "2", "10", "-"],
    ]);
    const next = { incarnation: 2, name: "b" };
    const moving = shardsText(
      [0, 1, 2].map((shard) => ({ ...{ shard, epoch: 1, sequence: 1, owner }, ...(shard > 0 && { next }) })),
      false,
    );
    expect(moving).toContain(
      "\n0       a (1)  -      1      1        -\n1-2     a (1)  b (2)  1      2        -\n",
    );
  });
});
