import { describe, expect, it } from "vitest";
import {
  createManualClock,
  createMemoryDisk,
  createMemoryExposure,
  createMemoryInstruments,
  createMemoryStore,
} from "../../src/adapters/memory/index.ts";
import { price } from "../../src/decimal/index.ts";
import { type Core, coreOf } from "../../src/engine/core/core.ts";
import { type LeaseTerm, Trust } from "../../src/engine/core/open-calls.ts";
import { timely } from "../../src/engine/core/stored.ts";
import { Shard } from "../../src/engine/shards/shard.ts";
import { NEXT_STATES, ShardLife, type ShardState } from "../../src/engine/shards/shard-state.ts";
import { InvariantError, OrderError } from "../../src/errors/index.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import type { OrderStore, ShardHead, Telemetry } from "../../src/ports/index.ts";
import { orderIntent } from "../../src/requests/index.ts";
import { readPage } from "../examples/markdown.ts";
import { turns } from "../support/faulty-world.ts";
import { createGate } from "../support/gate.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";
import { INSTRUMENTS, START_MS, SYMBOL } from "../support/world.ts";

const STATES = Object.keys(NEXT_STATES) as ShardState[];
const nothing = (): void => undefined;
const UNLEASED = new Trust(() => ({ wallMs: 0, monotonicMs: 0 }));

const intent = orderIntent({
  symbol: SYMBOL,
  side: "BUY",
  type: "SYNTHETIC_LIMIT",
  quantity: "1",
  price: "100",
  newClientOrderId: "a",
});
const ONE = { accountId: 1, timeMs: START_MS, parents: [{ intent, admission: {} }] };

/** A shard in a state; in `loading` and `reloading` the store's read is in progress and answers when it is released. */
type Subject = Readonly<{ shard: Shard; release: () => Promise<void>; takeOver: () => Promise<void> }>;

/** The core of an engine on a store. */
function coreOn(store: OrderStore, term?: LeaseTerm): Core {
  const core = coreOf(
    {
      store,
      instruments: createMemoryInstruments(INSTRUMENTS),
      accounts: { key: () => undefined, account: () => undefined },
      exposure: createMemoryExposure(),
      venue: createScriptedVenue(),
      clock: createManualClock({ startMs: START_MS }),
      entropy: { token: (length) => "t".repeat(length) },
      settings: { snapshotEvery: 1, maxPendingCommands: 2 },
    },
    term,
  );
  core.effects.connect({ run: nothing });
  return core;
}

const shardOn = (head: ShardHead, core: Core): Shard =>
  new Shard(head, core, { deadlines: { notAfterMs: () => START_MS }, reads: timely(core) });

async function shardIn(state: ShardState): Promise<Subject> {
  const disk = createMemoryDisk();
  const store = createMemoryStore({ disk });
  const number = shardOf(1);
  const reads = createGate();
  const slow = {
    ...store,
    async readSnapshot(of: number) {
      await reads.pass();
      return await store.readSnapshot(of);
    },
  };
  const head = (await slow.acquire()).find(({ shard }) => shard === number);
  if (head === undefined) throw new Error("the store has no such shard");
  const shard = shardOn(head, coreOn(slow));
  const release = async (): Promise<void> => {
    reads.open();
    await turns();
  };
  const takeOver = async (): Promise<void> => void (await createMemoryStore({ disk }).acquire());
  const read = async (reading: () => Promise<void>): Promise<void> => {
    reads.shut();
    void reading();
    await turns();
  };
  if (state === "loading") await read(() => shard.load());
  else {
    await shard.load();
    shard.settle(shard.accept(ONE));
    shard.pending.takeWhile(() => true);
  }
  if (state === "reloading" || state === "fenced" || state === "closed")
    await read(() => shard.reload([], true));
  if (state === "closed") shard.close();
  if (state === "elsewhere") {
    shard.leave();
    shard.depart();
  }
  if (state === "fenced") {
    await takeOver();
    await shard.confirm();
  }
  expect(shard.state).toBe(state);
  return { shard, release, takeOver };
}

/** The result of a call that may be refused, by name. */
function attempt(run: () => unknown): string {
  try {
    run();
    return "decided";
  } catch (error) {
    if (error instanceof InvariantError) return `never: ${error.invariant}`;
    return error instanceof OrderError ? `refused: ${error.reason}` : String(error);
  }
}

/** The rows of the table in docs/architecture.md: the effect of each input on a shard. */
const INPUTS: Readonly<Record<string, (subject: Subject) => string | Promise<string>>> = {
  "an input of its mailbox": ({ shard }) => {
    let answer = "waits";
    const say = (what: string): void => {
      answer = what;
    };
    shard.post(
      () => say("runs"),
      ({ reason }) => say(`refused: ${reason}`),
    );
    return answer;
  },
  "a new parent": ({ shard }) => attempt(() => shard.accept(ONE)),
  "a decision outside the mailbox": ({ shard }) =>
    attempt(() => shard.change(-256, { kind: "CANCEL" }, { kind: "CANCEL" })),
  "the store has been read": async ({ shard, release }) => {
    await release();
    return shard.state;
  },
  "an append failed": async ({ shard }) => {
    const reloading = shard.reload([], true).then(
      () => shard.state,
      (error: InvariantError) => `never: ${error.invariant}`,
    );
    const before = shard.state;
    const after = await Promise.race([reloading, turns().then(() => shard.state)]);
    return before === after || after.startsWith("never") ? after : `${before}, ${after}`;
  },
  "the store names another epoch": async ({ shard, takeOver }) => {
    await takeOver();
    await shard.confirm();
    return shard.state;
  },
  "the engine closes": ({ shard }) => {
    shard.close();
    return shard.state;
  },
  "a snapshot is due": ({ shard }) => (shard.isSnapshotDue ? "taken" : "none"),
};

/** The table in docs/architecture.md, by input. */
function tableInPage(): ReadonlyMap<string, readonly string[]> {
  const lines = readPage("docs/architecture.md").split("\n");
  const start = lines.findIndex((line) => line.startsWith("| input |"));
  const rows = lines.slice(start).slice(
    0,
    lines.slice(start).findIndex((line) => !line.startsWith("|")),
  );
  const cells = rows.map((line) => line.slice(2, -2).split(" | "));
  expect(cells[0]).toEqual(["input", ...STATES]);
  return new Map(cells.slice(2).map(([input = "", ...results]) => [input, results]));
}

describe("I65: states of a shard", () => {
  const table = tableInPage();

  it("docs/architecture.md names every input", () => {
    expect([...table.keys()]).toEqual(Object.keys(INPUTS));
  });

  for (const [input, meet] of Object.entries(INPUTS)) {
    it(`as docs/architecture.md says: ${input}`, async () => {
      const results: string[] = [];
      for (const state of STATES) results.push(await meet(await shardIn(state)));
      expect(results).toEqual(table.get(input));
    });
  }

  it("no other step is possible", () => {
    for (const from of STATES) {
      for (const to of STATES) {
        const life = new ShardLife({
          shard: 0,
          maxWaiting: 1,
          trust: UNLEASED,
          telemetry: { event: nothing },
        });
        for (const step of pathTo(from)) life.enter(step);
        const step = (): void => life.enter(to);
        if (NEXT_STATES[from].includes(to)) expect(step, `${from} to ${to}`).not.toThrow();
        else expect(step, `${from} to ${to}`).toThrow("I65");
      }
    }
  });
});

describe("I65: the mailbox of a shard", () => {
  const life = (telemetry: Telemetry = { event: nothing }): ShardLife =>
    new ShardLife({ shard: 0, maxWaiting: 2, trust: UNLEASED, telemetry });

  it("runs waiting inputs in order of arrival, and before inputs that are posted meanwhile", () => {
    const one = life();
    const ran: number[] = [];
    one.post(() => {
      ran.push(1);
      one.post(() => ran.push(3));
    });
    one.post(() => ran.push(2));
    expect(ran).toEqual([]);
    one.enter("running");
    expect(ran).toEqual([1, 2, 3]);
  });

  it("an input that fails does not stop the others, and is reported", () => {
    const failures: string[] = [];
    const one = life({ event: (_level, name, fields) => void failures.push(`${name} ${fields?.message}`) });
    const ran: number[] = [];
    one.post(() => {
      throw new Error("broken");
    });
    one.post(() => ran.push(2));
    one.enter("running");
    expect([ran, failures]).toEqual([[2], ["input.failed Error: broken"]]);
  });

  it("answers waiting inputs by name when the shard is fenced or closed, also while it runs them", () => {
    for (const [end, reason] of [
      ["fenced", "SHARD_FENCED"],
      ["closed", "ENGINE_CLOSED"],
    ] as const) {
      const one = life();
      const received: string[] = [];
      one.post(nothing, (error) => received.push(error.reason));
      one.enter(end);
      expect(received).toEqual([reason]);
      const other = life();
      other.post(() => other.enter(end));
      other.post(nothing, (error) => received.push(error.reason));
      other.enter("running");
      expect(received).toEqual([reason, reason]);
    }
  });

  it("I64: the number of waiting callers is limited; inputs that the engine must process wait in any case", () => {
    const one = life();
    const received: string[] = [];
    let ran = 0;
    for (let n = 0; n < 4; n++) {
      one.post(
        () => ran++,
        (error) => received.push(error.reason),
      );
      one.post(() => ran++);
    }
    one.enter("running");
    expect([ran, received]).toEqual([6, ["DISCONNECTED", "DISCONNECTED"]]);
  });
});

/** A shard of an engine whose trust has lapsed, and a function that renews it. */
async function untrusted(): Promise<Readonly<{ shard: Shard; renew: () => void }>> {
  const store = createMemoryStore({ disk: createMemoryDisk() });
  const [head] = await store.acquire();
  if (head === undefined) throw new Error("the store has no shard");
  const core = coreOn(store, { ttlMs: 3_000, marginMs: 600 });
  const shard = shardOn(head, core);
  await shard.load();
  const renew = (): void => {
    core.trust.extend({ wallMs: core.wallMs(), monotonicMs: core.monotonicMs() });
    shard.resume();
  };
  return { shard, renew };
}

describe("I22: a shard that leaves while the trust of its engine has lapsed", () => {
  it("is not settled before what belongs to its decisions has run, such as the answer of the venue", async () => {
    const { shard, renew } = await untrusted();
    const ran: string[] = [];
    shard.conclude(() => ran.push("answer"));
    shard.leave();
    expect([shard.isSettled, ran]).toEqual([false, []]);
    renew();
    expect([shard.isSettled, ran]).toEqual([true, ["answer"]]);
  });

  it("runs what belongs to its decisions in order of arrival, and none of it before trust holds again", async () => {
    const { shard, renew } = await untrusted();
    const ran: string[] = [];
    shard.conclude(() => ran.push("answer"));
    shard.leave();
    shard.conclude(() => ran.push("withdrawal"));
    expect([shard.isSettled, ran]).toEqual([false, []]);
    renew();
    expect([shard.isSettled, ran]).toEqual([true, ["answer", "withdrawal"]]);
  });
});

describe("I31: an activation that waits in the mailbox of its shard", () => {
  const cause = { kind: "RECOVERY" } as const;
  const activation = { position: 7, seed: price("100") };
  const waiting = ({ activating }: Shard): readonly number[] => [...activating.keys()];

  it("is known until it is decided, also while its shard leaves, so that its mark stays", async () => {
    const { shard, renew } = await untrusted();
    shard.activate(-256, activation, cause);
    shard.leave();
    shard.activate(-512, activation, cause, true);
    expect([waiting(shard), shard.isSettled]).toEqual([[-256, -512], false]);
    renew();
    expect([waiting(shard), shard.isSettled]).toEqual([[], true]);
  });

  it("is not decided and not known if it comes after the shard began to leave, or has gone", async () => {
    const { shard } = await untrusted();
    shard.leave();
    shard.activate(-256, activation, cause);
    const { shard: gone } = await shardIn("elsewhere");
    gone.activate(-256, activation, cause, true);
    expect([waiting(shard), waiting(gone)]).toEqual([[], []]);
  });
});

describe("I65: a decision that cannot be made", () => {
  it("uses no number: the next record follows the previous one", async () => {
    const { shard } = await shardIn("running");
    const list = { contingency: "OCO", listClientOrderId: "l", legs: [] } as const;
    expect(() => shard.accept({ ...ONE, list })).toThrow();
    const { record } = shard.accept(ONE);
    expect([record.sequence, shard.pending.takeWhile(() => true).length, shard.memory.openParents]).toEqual([
      2, 1, 2,
    ]);
  });
});

function pathTo(state: ShardState): readonly ShardState[] {
  if (state === "loading") return [];
  if (state === "reloading") return ["running", "reloading"];
  return [state];
}
