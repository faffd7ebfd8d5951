import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { VenueBuffer } from "../../src/cluster/heard.ts";
import { coreOf } from "../../src/engine/core/core.ts";
import { childIdOf } from "../../src/lifecycle/index.ts";
import { ExecutionIds, type ParentOrder } from "../../src/model/index.ts";
import type { VenueEvent } from "../../src/ports/index.ts";
import { createScriptedVenue, fillOf, reported } from "../support/scripted-venue.ts";
import { START_MS } from "../support/world.ts";

const TTL_MS = 10_000;
const child = (n: number): string => childIdOf({ orderId: -256 * n, acceptedAtMs: START_MS }, 1);

function buffered(most?: Readonly<{ events: number; bytes: number }>) {
  const clock = createManualClock({ startMs: START_MS });
  const received: string[] = [];
  const telemetry = { event: (_level: string, name: string) => void received.push(name) };
  const core = coreOf({ clock, telemetry, store: createMemoryStore() } as never);
  const venue = createScriptedVenue();
  const buffer = new VenueBuffer(core, TTL_MS, most);
  buffer.begin(venue);
  const passed = (): readonly VenueEvent[] => {
    const events: VenueEvent[] = [];
    buffer.passOn((event) => events.push(event));
    return events;
  };
  return { clock, venue, buffer, received, passed };
}

const executionsIn = (events: readonly VenueEvent[]): readonly string[] =>
  events.flatMap(({ report }) => report.fills.map(({ executionId }) => executionId));

const fillWith = (id: string) => [fillOf({ quantity: "1", id })];

describe("decisions WV, YI: events of the venue that a standby keeps", () => {
  it("an event that the venue sends again and again is kept once", () => {
    const { venue, passed, buffer } = buffered({ events: 3, bytes: 1e6 });
    venue.say(reported(child(1), "open", fillWith("first")));
    for (let n = 0; n < 1_000; n++) venue.say(reported(child(2), "open", fillWith("again")));
    venue.say(reported(child(2), "closed", fillWith("again")));
    expect(buffer.lost).toBe(0);
    expect(executionsIn(passed())).toEqual(["first", "again", "again"]);
  });

  it("more than the bound: the oldest goes, is counted, and the operator is told once", () => {
    const { venue, buffer, received, passed } = buffered({ events: 2, bytes: 1e6 });
    for (const n of [1, 2, 3, 4]) venue.say(reported(child(n), "open", fillWith(`x${n}`)));
    expect(buffer.lost).toBe(2);
    expect(received).toEqual(["standby.events-dropped"]);
    expect(executionsIn(passed())).toEqual(["x3", "x4"]);
  });

  it("events of many executions are bounded by bytes, and nothing but what is read of them is kept", () => {
    const { venue, buffer, passed } = buffered({ events: 1_000, bytes: 100_000 });
    const fills = (n: number) =>
      Array.from({ length: 100 }, (_, k) => fillOf({ quantity: "1", id: `${n}-${k}` }));
    for (let n = 1; n <= 5; n++)
      venue.say({ ...reported(child(n), "open", fills(n)), raw: "x".repeat(1_000_000) } as never);
    expect(buffer.lost).toBe(3);
    const events = passed();
    expect(events.map(({ report }) => report.childId)).toEqual([child(4), child(5)]);
    expect(JSON.stringify(events).length).toBeLessThan(100_000);
  });

  it("an event without executions, or of a child that is not the engine's, goes after two ttl, and is no loss", async () => {
    const { clock, venue, buffer, passed } = buffered();
    venue.say(reported(child(1), "open"));
    venue.say(reported("foreign", "open", fillWith("theirs")));
    venue.say(reported(child(2), "open", fillWith("ours")));
    await clock.advanceBy(2 * TTL_MS + 1);
    expect(executionsIn(passed())).toEqual(["ours"]);
    expect(buffer.lost).toBe(0);
  });

  it("an event that cannot be read is passed on as such, with its readable executions", () => {
    const { venue, passed } = buffered();
    venue.say({ ...reported(child(1), "open", fillWith("readable")), state: "asleep" } as never);
    const [event] = passed();
    expect(event?.report.state).toBeUndefined();
    expect(event?.report.fills).toHaveLength(1);
  });

  it("an event whose executions were counted before it came goes after two ttl, and is no loss", async () => {
    const { clock, venue, buffer, passed } = buffered({ events: 4, bytes: 1e6 });
    const requested: number[] = [];
    const orderOf = async (orderId: number): Promise<ParentOrder | undefined> => {
      requested.push(orderId);
      if (orderId === -256 * 2) return undefined;
      const executions = ExecutionIds.NONE.with(child(1), orderId === -256 * 3 ? "other" : "x1");
      return { executions } as unknown as ParentOrder;
    };
    for (const n of [1, 2, 3]) venue.say(reported(child(n), "closed", fillWith(`x${n}`)));
    await buffer.settle(orderOf);
    expect(requested).toEqual([]);
    await clock.advanceBy(2 * TTL_MS + 1);
    await buffer.settle(orderOf);
    await buffer.settle(orderOf);
    expect(requested).toEqual([-256, -512, -768]);
    for (const n of [4, 5, 6]) venue.say(reported(child(n), "open", fillWith(`x${n}`)));
    expect(buffer.lost).toBe(0);
    expect(executionsIn(passed())).toEqual(["x3", "x4", "x5", "x6"]);
  });

  it("an event of an order whose records were not read yet stays", async () => {
    const { clock, venue, buffer, passed } = buffered();
    venue.say(reported(child(1), "closed", fillWith("x1")));
    await clock.advanceBy(2 * TTL_MS + 1);
    await buffer.settle(async () => "unread");
    expect(executionsIn(passed())).toEqual(["x1"]);
  });

  it("an event whose order cannot be looked up stays, and is looked up again", async () => {
    const { clock, venue, buffer, passed } = buffered();
    venue.say(reported(child(1), "closed", fillWith("x1")));
    await clock.advanceBy(2 * TTL_MS + 1);
    await expect(buffer.settle(() => Promise.reject(new Error("away")))).rejects.toThrow("away");
    await clock.advanceBy(2 * TTL_MS + 1);
    let looks = 0;
    await buffer.settle(async () => {
      looks++;
      return { executions: ExecutionIds.NONE } as unknown as ParentOrder;
    });
    expect([looks, executionsIn(passed())]).toEqual([1, ["x1"]]);
  });
});
