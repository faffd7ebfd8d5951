import { afterEach, describe, expect, it, vi } from "vitest";
import type { ChildRequest } from "../../src/model/index.ts";
import type { ChildReport, SubmitOptions } from "../../src/ports/index.ts";
import { createScriptedVenue, filled, type ScriptedVenue } from "../support/scripted-venue.ts";
import { createWorld, START_MS, type World } from "../support/world.ts";

type Submit = (child: ChildRequest, options: SubmitOptions) => Promise<ChildReport>;

/** A world in which one stop has fired; `submit` is the venue's. */
async function fired(submit: Submit): Promise<Readonly<{ world: World; venue: ScriptedVenue }>> {
  const venue = { ...createScriptedVenue(), submit };
  const world = await createWorld({ venue });
  await world.place({ type: "STOP_MARKET", stopPrice: "100" });
  await world.quote("99", "100");
  return { world, venue };
}

/** A request that ends only when its signal aborts, as that of `fetch` does. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });

const unknownReported = ({ reported }: World): number =>
  reported.filter((name) => name === "child.unknown").length;

describe("decision KE: the signal of a submit", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("aborts at the deadline; the outcome is unknown and the child is looked up, not sent again", async () => {
    const calls: SubmitOptions[] = [];
    const { world, venue } = await fired((_, options) => {
      calls.push(options);
      return untilAborted(options.signal);
    });
    expect(calls.map(({ deadlineMs, signal }) => [deadlineMs - START_MS, signal.aborted])).toEqual([
      [2_000, false],
    ]);
    await world.pass(2_000);
    expect(calls[0]?.signal.reason).toMatchObject({
      name: "TimeoutError",
      message: "no answer by the deadline",
    });
    expect(await world.status(world.updates[0]?.order.orderId ?? 0)).toBe("NEW UNKNOWN");
    expect([calls.length, venue.lookups.length]).toEqual([1, 1]);
    expect(unknownReported(world)).toBe(1);
  });

  it("does not abort after the answer, neither at the deadline nor when the engine closes", async () => {
    const signals: AbortSignal[] = [];
    const { world } = await fired(async (child, { signal }) => {
      signals.push(signal);
      return filled(child);
    });
    await world.pass(2_000);
    await world.engine.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it("aborts when the engine closes, after what was decided is durable", async () => {
    const signals: AbortSignal[] = [];
    const { world } = await fired((_, { signal }) => {
      signals.push(signal);
      return untilAborted(signal);
    });
    expect(await world.engine.close()).toMatchObject({ inFlight: 1, unknown: 0 });
    expect(signals[0]?.reason).toMatchObject({ name: "AbortError", message: "the engine is closed" });
    expect(unknownReported(world)).toBe(0);
  });

  it.each([
    ["at the deadline", (world: World) => world.pass(2_000)],
    ["when the engine closes", (world: World) => world.engine.close()],
  ])("is aborted already if the venue reads it later than that: %s", async (_, end) => {
    const calls: SubmitOptions[] = [];
    const { world } = await fired((_child, options) => {
      calls.push(options);
      return new Promise(() => undefined);
    });
    await end(world);
    expect(calls[0]?.signal.aborted).toBe(true);
  });

  it("takes an answer that comes in spite of it", async () => {
    const { world } = await fired(async (child, { signal }) => {
      await untilAborted(signal).catch(() => undefined);
      return filled(child);
    });
    await world.pass(2_000);
    expect(await world.status(world.updates[0]?.order.orderId ?? 0)).toBe("FILLED FILLED");
  });

  it("is in a copy of the options too", async () => {
    const copies: SubmitOptions[] = [];
    await fired(async (child, options) => {
      copies.push({ ...options, deadlineMs: options.deadlineMs - 50 });
      return filled(child);
    });
    expect(copies[0]?.signal).toBeInstanceOf(AbortSignal);
  });

  it("is not created for a venue that does not read it", async () => {
    const created = vi.spyOn(globalThis, "AbortController");
    await fired(async (child) => filled(child));
    await fired(async (child, { deadlineMs: _ }) => filled(child));
    expect(created).not.toHaveBeenCalled();
  });
});
