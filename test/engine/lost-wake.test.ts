import { expect, it } from "vitest";
import { statusOf } from "../../src/lifecycle/index.ts";
import { createScriptedVenue, filled } from "../support/scripted-venue.ts";
import { createWorld, SYMBOL } from "../support/world.ts";

it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  "I62: an answer %i promise turns after the submit becomes durable without a further input",
  async (turns) => {
    const scripted = createScriptedVenue();
    const venue = Object.assign(scripted, {
      submit: async (child: Parameters<typeof scripted.submit>[0]) => {
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        return filled(child);
      },
    });
    const world = await createWorld({ venue });
    const order = await world.place({ type: "STOP_MARKET", stopPrice: "110" });
    world.engine.market.quote({ symbol: SYMBOL, bid: "120", ask: "121" });
    expect(await world.engine.idle()).toEqual({ inFlight: 0, unknown: 0, waitingFor: [] });
    expect(statusOf(await world.order(order)).status).toBe("FILLED");
  },
);
