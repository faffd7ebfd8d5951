import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Protocol, runLoad } from "./lanes.ts";
import { restCancel, restPlacement, socketPlacement } from "./orders.ts";
import { type LoadServer, openServiceServer } from "./server.ts";

const PLACEMENTS = 256;
const CONNECTIONS = 16;

/** Each request once, in order. */
function sourceOf(requests: readonly Buffer[]): () => Buffer | undefined {
  let next = 0;
  return () => requests[next++];
}

/** The short form of `npm run program -- load`: the same requests on the same service, without measuring time. */
describe("signed durable placements under load", () => {
  let folder: string;
  let server: LoadServer;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "managed-orders-load-"));
    server = await openServiceServer({ path: join(folder, "orders.db") });
  });

  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const answered = async (protocol: Protocol, requests: readonly Buffer[]): Promise<number> => {
    const source = sourceOf(requests);
    const result = await runLoad({ port: server.port, protocol, connections: CONNECTIONS, source });
    expect(result.failures).toEqual([]);
    return result.unmeasured + result.latenciesUs.length;
  };

  test.each([
    { protocol: "http", from: 0 },
    { protocol: "socket", from: PLACEMENTS },
  ] as const)(
    "every $protocol answer is a success, and its order exists (I01)",
    async ({ protocol, from }) => {
      const now = Date.now();
      const requests = Array.from({ length: PLACEMENTS }, (_, index) =>
        protocol === "http" ? restPlacement(from + index) : socketPlacement(from + index, now),
      );
      const before = server.openParents();
      expect(await answered(protocol, requests)).toBe(PLACEMENTS);
      expect(server.openParents() - before).toBe(PLACEMENTS);
    },
  );

  test("as many orders end as were placed", async () => {
    const count = server.openParents();
    const cancels = Array.from({ length: count }, (_, n) => restCancel(n));
    expect(await answered("http", cancels)).toBe(count);
    expect(server.openParents()).toBe(0);
  });
});
