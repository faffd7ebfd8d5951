import { afterEach, describe, expect, it } from "vitest";
import { createMemoryHost, createMemoryRateLimiter } from "../../src/adapters/memory/index.ts";
import { createNodeServer } from "../../src/adapters/node/index.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import { openEngine } from "../../src/engine/index.ts";
import { createService } from "../../src/service/index.ts";
import { type TemporaryPlace, temporaryPlace } from "../adapters/sqlite/temporary-place.ts";
import { withFronts } from "../support/front-threads.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";

const host = createMemoryHost({ symbols: ["BTC/USD"] });
const { clock } = host;
const places: TemporaryPlace[] = [];

function temporaryPath(): string {
  const place = temporaryPlace();
  places.push(place);
  return place.path;
}

afterEach(() => {
  for (const { remove } of places.splice(0)) remove();
});

describe("`await using`", () => {
  it("closes server, engine and store at the end of the block, last opened first", async () => {
    const path = temporaryPath();
    const opened = async () => {
      await using store = openSqliteStore({ path, exclusive: true });
      await using engine = await openEngine({ ...host, store, venue: createScriptedVenue() });
      const rateLimiter = createMemoryRateLimiter({ clock });
      const service = createService({ ...host, engine, rateLimiter });
      await using server = createNodeServer({ service, ...withFronts() });
      const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
      const api = `http://127.0.0.1:${port}/api/ping`;
      expect((await fetch(api)).status).toBe(200);
      return { api, engine, store };
    };
    const { api, engine, store } = await opened();
    await expect(fetch(api)).rejects.toThrow("fetch failed");
    await expect(engine.cancelAll(1)).rejects.toMatchObject({ name: "EngineError" });
    await expect(store.acquire()).rejects.toThrow("closed");
    const next = openSqliteStore({ path, exclusive: true });
    await next.close();
  });

  it("of what is closed already does nothing", async () => {
    await using store = openSqliteStore({ path: temporaryPath() });
    await using engine = await openEngine({ ...host, store, venue: createScriptedVenue() });
    const service = createService({ ...host, engine, rateLimiter: createMemoryRateLimiter({ clock }) });
    await using server = createNodeServer({ service, ...withFronts() });
    await server.listen({ host: "127.0.0.1", port: 0 });
    await server.close();
    await engine.close();
    await store.close();
  });

  it("of a server that never listened does nothing", async () => {
    const handle = () => Promise.reject(new Error("nothing is asked"));
    await using _server = createNodeServer({ service: { handle } });
  });
});
