import { expect, it, onTestFinished } from "vitest";
import { createSystemClock } from "../../../src/adapters/node/index.ts";
import type { Instrument } from "../../../src/model/index.ts";
import type { Clock } from "../../../src/ports/index.ts";
import { createListing } from "../../support/listing.ts";
import { createScriptedVenue } from "../../support/scripted-venue.ts";
import { INSTRUMENTS } from "../../support/world.ts";
import { connect, serveVenue, until } from "./loopback.ts";

const EVERY_MS = 7_654;

/** A clock whose timers of the instruments run when the test says so. */
function createStops(): Readonly<{ clock: Clock; waiting: (() => void)[] }> {
  const system = createSystemClock();
  const waiting: (() => void)[] = [];
  const schedule: Clock["schedule"] = (atMs, run) => {
    if (Math.abs(atMs - system.monotonicMs() - EVERY_MS) > 500) return system.schedule(atMs, run);
    waiting.push(run);
    return () => void waiting.splice(waiting.indexOf(run), 1);
  };
  return { clock: { ...system, schedule }, waiting };
}

it("instruments of a venue server are those that it has now, and the last ones while it is away", async () => {
  const { catalogue, list } = createListing([]);
  const served = await serveVenue({ venue: createScriptedVenue(), instruments: catalogue });
  const { clock, waiting } = createStops();
  const reported: string[] = [];
  const telemetry = { event: (_level: string, name: string) => void reported.push(name) };
  const client = await connect(served.url, { clock, telemetry, instrumentsEveryMs: EVERY_MS });
  onTestFinished(() => client.close());
  const { instruments } = client;
  expect(instruments?.all()).toEqual([]);
  const [first] = INSTRUMENTS;
  if (first === undefined) throw new Error("there is no instrument");
  list([{ ...first, status: "CANCEL_ONLY" }]);
  waiting.pop()?.();
  await until(() => waiting.length === 1, "the next reading");
  expect(instruments?.find("BTC/USD")?.status).toBe("CANCEL_ONLY");
  expect(instruments?.resolve("BTCUSD")?.symbol).toBe("BTC/USD");
  await served.close();
  waiting.pop()?.();
  await until(() => waiting.length === 1, "the reading after a failure");
  waiting.pop()?.();
  await until(() => waiting.length === 1, "the reading after another failure");
  expect(reported).toEqual(["venue-http.instruments-unread"]);
  expect(instruments?.find("BTC/USD")?.status).toBe("CANCEL_ONLY");
  client.close();
  expect(waiting).toEqual([]);
});

it("a server that gives one name to two instruments is refused as unreadable", async () => {
  const all = (): readonly Instrument[] => INSTRUMENTS.flatMap((listed) => [listed, listed]);
  const { catalogue } = createListing([]);
  const served = await serveVenue({ venue: createScriptedVenue(), instruments: { ...catalogue, all } });
  onTestFinished(() => served.close());
  await expect(connect(served.url)).rejects.toMatchObject({
    name: "VenueHttpError",
    problem: "unreadable",
    message: "/v1/instruments: instruments: the name BTC/USD belongs to two instruments",
  });
});
