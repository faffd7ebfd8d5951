import { afterEach, describe, expect, it, vi } from "vitest";
import { createMemoryHost, type MemoryHost } from "../../../src/adapters/memory/index.ts";
import { openEngine } from "../../../src/engine/index.ts";
import { createScriptedVenue } from "../../support/scripted-venue.ts";
import { standardError } from "../../support/standard-error.ts";

const HOUR_MS = 3_600_000;

const { lines } = standardError();

afterEach(() => void vi.unstubAllGlobals());

/** Opens an engine whose clock is set once, which is an alert. Returns the alerts. */
async function alarmed(host: Partial<MemoryHost> = {}): Promise<readonly string[]> {
  const { clock, ...others } = createMemoryHost({ symbols: ["BTC/USD"], startMs: 0 });
  await using engine = await openEngine({ ...others, clock, ...host, venue: createScriptedVenue() });
  const alerts: string[] = [];
  engine.events.on("alert", ({ alert }) => alerts.push(alert));
  clock.stepWall(HOUR_MS);
  return alerts;
}

describe("an engine on a memory host", () => {
  it("writes the cause of an alert to standard error, at the time of the host's clock", async () => {
    expect(await alarmed()).toEqual(["CLOCK_STEPPED"]);
    expect(lines).toEqual([
      '{"time":"1970-01-01T01:00:00.000Z","level":"warn","event":"clock.stepped","stepMs":3600000}',
    ]);
  });

  it("reports to the host's own telemetry instead, if it replaces the other", async () => {
    const event = vi.fn();
    expect(await alarmed({ telemetry: { event } })).toEqual(["CLOCK_STEPPED"]);
    expect(event).toHaveBeenCalledWith("warn", "clock.stepped", { stepMs: HOUR_MS });
    expect(lines).toEqual([]);
  });

  it("runs as usual where there is no console", async () => {
    vi.stubGlobal("console", undefined);
    expect(await alarmed()).toEqual(["CLOCK_STEPPED"]);
    const { telemetry } = createMemoryHost({ symbols: ["BTC/USD"] });
    expect(() => telemetry.event("warn", "order.alert", {})).not.toThrow();
  });
});

it("an engine without telemetry is silent", async () => {
  const { telemetry: _, ...host } = createMemoryHost({ symbols: ["BTC/USD"] });
  await using _engine = await openEngine({ ...host, venue: createScriptedVenue() });
  host.clock.stepWall(HOUR_MS);
  expect(lines).toEqual([]);
});

it("a flood on a memory host is counted when the test advances the clock by a minute", async () => {
  const { clock, telemetry } = createMemoryHost({ symbols: ["BTC/USD"], startMs: 0 });
  // Engines of other files that share the process may report at the same moment.
  const reported = (): string[] => lines.filter((line) => line.includes('"lookup.failed"'));
  for (let n = 0; n < 50; n++) telemetry.event("warn", "lookup.failed", { childId: "c-1" });
  await clock.advanceBy(59_999);
  expect(reported()).toHaveLength(1);
  await clock.advanceBy(1);
  expect(reported()[1]).toBe(
    '{"time":"1970-01-01T00:01:00.000Z","level":"warn","event":"lookup.failed","childId":"c-1","repeated":49}',
  );
});
