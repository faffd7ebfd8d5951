import { expect, it } from "vitest";
import { call, KEYS, openWorld, type ServiceWorld } from "../../support/service-world.ts";
import { TestClient } from "../../support/socket-world.ts";

const PAGE = { apiManaged: true, limit: 1_000 };

/** Returns the turns that pass after a request has been received until a message of another address is answered. */
async function turnsAfter(request: (world: ServiceWorld) => void): Promise<number> {
  const world = await openWorld();
  const other = new TestClient(world, { address: "10.0.0.2" });
  const turns: (() => void)[] = [];
  Object.assign(world.clock, { soon: (run: () => void) => turns.push(run) });
  request(world);
  other.session.receive('{"id":1,"method":"ping"}');
  for (let turn = 0; ; turn++) {
    for (let step = 0; step < 100; step++) await Promise.resolve();
    if (other.replies.length > 0) return turn;
    for (const run of turns.splice(0)) run();
  }
}

it("a page that a message asks for delays others by as many turns as one by REST", async () => {
  const byMessage = await turnsAfter((world) => {
    const client = new TestClient(world);
    const params = client.params(PAGE, KEYS.owner);
    client.session.receive(JSON.stringify({ id: 1, method: "openOrders.status", params }));
  });
  const byRest = await turnsAfter((world) => {
    const query = { ...PAGE, timestamp: world.clock.nowMs(), nonce: world.nonce() };
    void call(world, "GET", "/api/v3/openOrders", { key: KEYS.owner, query });
  });
  expect([byMessage, byRest]).toEqual([5, 5]);
});
