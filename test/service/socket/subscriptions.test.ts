import { describe, expect, it } from "vitest";
import { createMemoryInstruments } from "../../../src/adapters/memory/index.ts";
import { AccountStreams } from "../../../src/service/socket/account-streams.ts";
import { Subscriptions } from "../../../src/service/socket/subscriptions.ts";
import { openWorld } from "../../support/service-world.ts";

describe("subscription ids", () => {
  it("convention 4.5: 65,536 in the life of a connection, then -2042", async () => {
    const { engine, clock } = await openWorld();
    const streams = new AccountStreams({
      ...{ engine, clock, accountEvents: undefined, native: undefined },
      instruments: createMemoryInstruments([]),
      entropy: { token: () => "id" },
    });
    const subscriptions = new Subscriptions({
      streams,
      dialect: "own",
      nowMs: () => 0,
      send: () => undefined,
      overrun: () => undefined,
      maxWaitingBytes: 1,
    });
    const subscriber = { accountId: 1, allowed: async () => true };
    for (let count = 0; count < 65_536; count++) {
      expect(subscriptions.begin(subscriber).body).toMatchObject({ subscriptionId: count });
      subscriptions.end(count);
    }
    expect(() => subscriptions.begin(subscriber)).toThrow("Maximum subscription ID");
  });
});
