import { describe, expect, it, onTestFinished } from "vitest";
import { createSystemClock } from "../../../src/adapters/node/index.ts";
import type { Clock } from "../../../src/ports/index.ts";
import { childOf } from "../../sandbox/venue-world.ts";
import { createScriptedVenue } from "../../support/scripted-venue.ts";
import { connect, serveVenue, until } from "./loopback.ts";

const telemetry = {
  event() {
    throw new Error("the host's telemetry fails");
  },
};

/** Collects the rejections that nobody has handled. */
function unhandledRejections(): readonly unknown[] {
  const found: unknown[] = [];
  const note = (error: unknown): void => void found.push(error);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  return found;
}

describe("functions of the host that fail do not stop either half of a venue over HTTP", () => {
  it("telemetry of the client that throws: its streams connect again after a break", async () => {
    const unhandled = unhandledRejections();
    const venue = createScriptedVenue();
    const running = await serveVenue({ venue });
    const client = await connect(running.url, { telemetry });
    onTestFinished(() => client.close());
    const received: string[] = [];
    client.venue.subscribe(({ report }) => received.push(report.childId));
    const isLive = (): boolean => client.status().streams.every((one) => one.isLive);
    await until(isLive, "the stream");
    await running.close();
    await until(() => !isLive() || unhandled.length > 0, "the break");
    const again = await serveVenue({ venue }, running.port);
    onTestFinished(again.close);
    await until(() => isLive() || unhandled.length > 0, "the stream again");
    venue.say({ childId: "aqc-1", state: "closed", fills: [] });
    await until(() => received.length > 0 || unhandled.length > 0, "a report");
    expect({ received, unhandled }).toEqual({ received: ["aqc-1"], unhandled: [] });
  });

  it("telemetry of the server that throws: a request that is refused has its answer", async () => {
    const unhandled = unhandledRejections();
    const running = await serveVenue({ venue: createScriptedVenue(), telemetry });
    onTestFinished(running.close);
    const headers = { "x-venue-time": String(Date.now()), "x-venue-signature": "0".repeat(64) };
    const answers: number[] = [];
    const requesting = fetch(`${running.url}/v1/venue`, { headers }).then(
      ({ status }) => void answers.push(status),
      () => undefined,
    );
    await until(() => answers.length > 0 || unhandled.length > 0, "the answer");
    expect({ answers, unhandled }).toEqual({ answers: [401], unhandled: [] });
    await requesting;
  });

  it("clocks with fractions of milliseconds, as performance.now() has them, are understood", async () => {
    const system = createSystemClock();
    const clock: Clock = {
      nowMs: () => Date.now() + 0.25,
      monotonicMs: () => system.monotonicMs() + 0.25,
      schedule: (atMs, run) => system.schedule(atMs, run),
      soon: (run) => system.soon(run),
    };
    const running = await serveVenue({ venue: createScriptedVenue(), clock });
    onTestFinished(running.close);
    const client = await connect(running.url, { clock, openWithinMs: 500 });
    onTestFinished(() => client.close());
    const limits = { deadlineMs: Date.now() + 60_000, signal: new AbortController().signal };
    expect(await client.venue.submit(childOf({ quantity: "1" }), limits)).toMatchObject({ state: "closed" });
  });

  it("a clock without a valid time at the beginning is refused by both halves", async () => {
    const clock: Clock = { ...createSystemClock(), nowMs: () => Number.NaN };
    await expect(serveVenue({ venue: createScriptedVenue(), clock })).rejects.toThrow("clock.nowMs");
    await expect(connect("http://127.0.0.1:1", { clock })).rejects.toThrow("clock.nowMs");
  });
});
