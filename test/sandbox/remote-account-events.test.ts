import { describe, expect, it } from "vitest";
import { createManualClock } from "../../src/adapters/memory/index.ts";
import { price, quantity } from "../../src/decimal/index.ts";
import type { AccountEvent, AssetBalance, ReportedFill } from "../../src/ports/index.ts";
import { RemoteAccountEvents } from "../../src/sandbox/account-events.ts";
import { createCatalogue } from "../../src/sandbox/catalogue.ts";
import { START_MS } from "./venue-world.ts";

/** Account events of a venue that answers when the test lets it, and what was told. */
function openRemote() {
  const clock = createManualClock({ startMs: START_MS });
  const questions: ((balances: readonly AssetBalance[] | Error) => void)[] = [];
  const reported: string[] = [];
  const events = new RemoteAccountEvents({
    ...{ clock, instruments: createCatalogue() },
    balances: {
      balances: () =>
        new Promise((resolve, reject) =>
          questions.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer))),
        ),
    },
    exposure: { position: async () => quantity("2") },
    telemetry: { event: (_level, name) => void reported.push(name) },
  });
  const told: AccountEvent[] = [];
  events.subscribe((event) => told.push(event));
  return { clock, events, questions, reported, told };
}

const fill = (events: RemoteAccountEvents, id: number, accountId = 1): void => {
  const answer: ReportedFill = {
    ...{ accountId, symbol: "BTC/USD", side: "BUY" },
    fill: { executionId: `x${id}`, quantity: quantity("1"), price: price("100"), timeMs: id },
  };
  expect(events.afterFill(answer)).toBeUndefined();
};

const BALANCES = [
  { asset: "BTC", free: "2", locked: "0" },
  { asset: "USD", free: "700.5", locked: "99.5" },
];

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

const timesOf = (told: readonly AccountEvent[]): readonly unknown[] =>
  told.map((event) => ("update" in event ? event.update.timeMs : event));

describe("account events of a venue elsewhere", () => {
  it("follow the fills in their order, with whole balances and one question at a time", async () => {
    const { events, questions, told } = openRemote();
    for (const id of [1, 2, 3]) fill(events, id);
    expect(questions).toHaveLength(1);
    questions.shift()?.(BALANCES);
    await turns();
    expect(timesOf(told)).toEqual([1]);
    questions.shift()?.(BALANCES);
    await turns();
    expect(timesOf(told)).toEqual([1, 2, 3]);
    expect(questions).toHaveLength(0);
    expect(told[2]).toEqual({
      accountId: 1,
      update: {
        ...{ reason: "ORDER", timeMs: 3 },
        balances: [
          { asset: "BTC", wallet: "2", change: "1" },
          { asset: "USD", wallet: "800", change: "-100" },
        ],
        positions: [{ symbol: "BTC/USD", amount: "2" }],
      },
    });
  });

  it("wait while the venue does not answer, which is reported once", async () => {
    const { clock, events, questions, told, reported } = openRemote();
    fill(events, 1);
    for (let time = 0; time < 3; time++) {
      questions.shift()?.(new Error("no answer"));
      await turns();
      fill(events, 2 + time);
      expect(questions).toHaveLength(0);
      await clock.advanceBy(500);
      await turns();
    }
    questions.shift()?.(BALANCES);
    await turns();
    expect(timesOf(told)).toEqual([1, 2, 3, 4]);
    expect(reported).toEqual(["account-events.waiting"]);
  });

  it("wait while the venue tells no amount of an asset that a fill exchanged; one of another asset does not matter", async () => {
    const { clock, events, questions, told, reported } = openRemote();
    const odd = { asset: "ODD", free: "many", locked: `0.${"1".repeat(40)}` };
    fill(events, 1);
    questions.shift()?.([odd, ...BALANCES]);
    await turns();
    expect(timesOf(told)).toEqual([1]);
    fill(events, 2);
    questions.shift()?.([{ ...odd, asset: "USD" }]);
    await turns();
    expect([timesOf(told), reported]).toEqual([[1], ["account-events.waiting"]]);
    await clock.advanceBy(500);
    questions.shift()?.(BALANCES);
    await turns();
    expect(timesOf(told)).toEqual([1, 2]);
  });

  it("are bounded: of more than 1,000 fills that wait, the oldest get none", async () => {
    const { events, questions, told, reported } = openRemote();
    for (let id = 1; id <= 1_502; id++) fill(events, id);
    for (let answer = 0; answer < 3; answer++) {
      questions.shift()?.(BALANCES);
      await turns();
    }
    expect(told).toHaveLength(1_000);
    expect(timesOf(told).slice(0, 2)).toEqual([1, 504]);
    expect(reported).toHaveLength(502);
  });

  it("stop when they are closed", async () => {
    const { events, questions, told } = openRemote();
    fill(events, 1);
    events.close();
    questions.shift()?.(BALANCES);
    await turns();
    fill(events, 2);
    expect([told, questions]).toEqual([[], []]);
  });
});
