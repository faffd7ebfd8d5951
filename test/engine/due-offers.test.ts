import { expect, it } from "vitest";
import type { LiveOrder } from "../../src/engine/core/live-order.ts";
import { DueOffers } from "../../src/engine/eligibility/execution-attempts.ts";
import type { Bursts, Lane, Steps } from "../../src/engine/time/bursts.ts";

type Queued = Readonly<{ lane: Lane; key: string | number; steps: Steps }>;

const parent = (accountId: number, name: string, reduceOnly = false): LiveOrder =>
  ({ working: { accountId, intent: { clientOrderId: name, reduceOnly } } }) as unknown as LiveOrder;

/** Due offers whose work waits until it is run. */
function offers() {
  const queued: Queued[] = [];
  const done: string[] = [];
  const bursts = {
    add: (lane: Lane, key: string | number, steps: Steps) => void queued.push({ lane, key, steps }),
  };
  const due = new DueOffers<string>(bursts as unknown as Bursts, ({ working }, cause) =>
    done.push(`${working.intent.clientOrderId} ${cause}`),
  );
  const run = (): string => {
    for (const { steps } of queued.splice(0)) while (steps.next().done !== true);
    return done.splice(0).join();
  };
  return { due, queued, run };
}

it("each account has its own turn for the offers of one print", () => {
  const { due, queued, run } = offers();
  due.add([parent(1, "a"), parent(1, "b"), parent(2, "c")], "print");
  expect(queued.map(({ lane, key }) => [lane, key])).toEqual([
    ["attempts", 1],
    ["attempts", 2],
  ]);
  expect(run()).toBe("a print,b print,c print");
});

it("a parent waits for one offer, of the newest print, however many come", () => {
  const { due, queued, run } = offers();
  const [a, b] = [parent(1, "a"), parent(1, "b")];
  due.add([a], "first");
  due.add([a, b], "second");
  expect([queued.length, run(), run()]).toEqual([1, "a second,b second", ""]);
  due.add([a], "third");
  expect(run()).toBe("a third");
});

it("a print that comes during the turn of an account is offered after it", () => {
  const { due, queued, run } = offers();
  const [a, b] = [parent(1, "a"), parent(1, "b")];
  due.add([a, b], "first");
  queued[0]?.steps.next();
  due.add([a, b], "second");
  expect(run()).toBe("a first,b first,a second,b second");
});

it("the parents of an account that reduce a position go first", () => {
  const { due, run } = offers();
  due.add([parent(1, "a"), parent(1, "b", true), parent(1, "c"), parent(1, "d", true)], "print");
  expect(run()).toBe("b print,d print,a print,c print");
});
