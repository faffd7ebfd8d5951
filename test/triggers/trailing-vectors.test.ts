import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { normalise, type Price, price } from "../../src/decimal/index.ts";
import type { Quote, Side } from "../../src/model/index.ts";
import {
  executableSide,
  type Fired,
  gateDirection,
  TriggerBook,
  type Watcher,
} from "../../src/triggers/index.ts";

type Scenario = Readonly<{
  id: string;
  type: "STOP_LOSS_LIMIT" | "TAKE_PROFIT_LIMIT";
  side: Side;
  stopPrice: number | null;
  trailingDelta: number;
  path: readonly number[];
  activatedAt: number;
  extremeAtTrigger: number;
  triggerAt: number;
}>;

const file = new URL("../vectors/trailing.json", import.meta.url);
const { scenarios } = JSON.parse(readFileSync(file, "utf8")) as { scenarios: readonly Scenario[] };
const usd = (value: number): Price => price(String(value));

/** Way-points joined by straight moves of one dollar. */
function* prices(path: readonly number[]): Generator<number> {
  let at = path[0] ?? 0;
  yield at;
  for (const point of path.slice(1)) {
    while (at !== point) {
      at += Math.sign(point - at);
      yield at;
    }
  }
}

function watcherOf(scenario: Scenario, gate = gateDirection(scenario)): Watcher {
  return {
    orderId: -1,
    acceptedAtMs: 0,
    acceptance: 1,
    watch: {
      kind: "trail",
      side: executableSide(scenario.side),
      distance: { kind: "bps", bps: scenario.trailingDelta },
      ...(scenario.stopPrice !== null && { gate: { direction: gate, level: usd(scenario.stopPrice) } }),
    },
  };
}

type Run = Readonly<{ activatedAt?: number; firedAt?: number; fired?: Fired }>;

/** Plays the path once; the other side of the market stays a dollar away. */
function walk(scenario: Scenario, watcher: Watcher): Run {
  const book = new TriggerBook("BTC/USD");
  book.add(watcher);
  let run: Run = {};
  for (const at of prices(scenario.path)) {
    const [bid, ask] = scenario.side === "BUY" ? [at - 1, at] : [at, at + 1];
    const quote: Quote = {
      symbol: "BTC/USD",
      bid: usd(bid),
      ask: usd(ask),
      bids: [],
      asks: [],
      timeMs: 0,
      sequence: 0,
    };
    const { fired, activated } = book.observe(quote);
    if (activated.length > 0) run = { ...run, activatedAt: at };
    if (fired[0] !== undefined) run = { ...run, firedAt: at, fired: fired[0] };
  }
  return run;
}

describe("trailing scenarios of the public convention", () => {
  it("are three", () => expect(scenarios.map(({ id }) => id)).toEqual(["A", "C", "E"]));

  it.each(scenarios)("decision 18, scenario $id: $type $side", (scenario) => {
    const run = walk(scenario, watcherOf(scenario));
    expect(run).toEqual({
      activatedAt: scenario.activatedAt,
      firedAt: scenario.triggerAt,
      fired: {
        orderId: -1,
        observed: usd(scenario.triggerAt),
        level: usd(scenario.triggerAt),
        reference: usd(scenario.extremeAtTrigger),
      },
    });
  });

  it("decision 18: the gate of TRAILING_STOP_* makes scenario A trigger at 38850", () => {
    const [a] = scenarios;
    if (a === undefined) throw new Error("scenario A is missing");
    const gate = gateDirection({ type: "TRAILING_STOP_LIMIT", side: a.side });
    const run = walk(a, watcherOf(a, gate));
    expect([run.activatedAt, run.firedAt]).toEqual([40000, 38850]);
    expect(run.fired?.reference).toBe(normalise(BigInt(usd(37000))));
  });
});
