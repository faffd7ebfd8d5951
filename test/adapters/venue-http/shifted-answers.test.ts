import { type AddressInfo, createServer, connect as tcp } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { childOf } from "../../sandbox/venue-world.ts";
import { createScriptedVenue, reported } from "../../support/scripted-venue.ts";
import { connect, serveVenue } from "./loopback.ts";

/** Starts a proxy that sends the answer before again, once it is told to, when the next request has come. */
async function createDoubler(port: number): Promise<Readonly<{ url: string; double: () => void }>> {
  let isDoubling = false;
  const server = createServer((client) => {
    const upstream = tcp(port, "127.0.0.1");
    let last: Buffer | undefined;
    upstream.on("data", (bytes: Buffer) => {
      last = bytes;
      client.write(bytes);
    });
    client.on("data", (bytes: Buffer) => {
      if (isDoubling && last !== undefined) client.write(last);
      upstream.write(bytes);
    });
    for (const socket of [client, upstream])
      socket.on("error", () => undefined).on("close", () => [client, upstream].map((one) => one.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const double = (): void => {
    isDoubling = true;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, double };
}

it("an answer that a proxy sends twice is none to the next request of its connection", async () => {
  const venue = createScriptedVenue();
  const running = await serveVenue({ venue });
  onTestFinished(running.close);
  const { url, double } = await createDoubler(running.port);
  const client = await connect(url);
  onTestFinished(() => client.close());
  const [missing, there] = [childOf({ quantity: "1" }), childOf({ quantity: "1" })];
  venue.onLookup = ({ childId }) =>
    childId === missing.childId ? { notFoundAtMs: 7 } : reported(childId, "closed");
  expect(await client.venue.lookup(missing)).toEqual({ notFoundAtMs: 7 });
  double();
  await expect(client.venue.lookup(there)).rejects.toMatchObject({ problem: "unreadable" });
  expect(await client.venue.lookup(there)).toMatchObject({ childId: there.childId, state: "closed" });
});
