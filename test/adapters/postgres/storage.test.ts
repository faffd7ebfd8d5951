import { afterAll, beforeAll, describe, it } from "vitest";
import { openPostgresStorage } from "../../../src/adapters/postgres/storage.ts";
import { testStorage } from "../../../src/conformance/index.ts";
import { type PGliteServer, startPGlite } from "./pglite-server.ts";
import { type Places, placesOn } from "./places.ts";

let server: PGliteServer | undefined;
let places: Places;
beforeAll(async () => {
  const url = process.env.POSTGRES_URL;
  if (url === undefined) server = await startPGlite();
  places = placesOn(url ?? server?.url ?? "");
});
afterAll(async () => {
  await places.close();
  await server?.close();
});

testStorage(
  { describe, it },
  {
    name: "postgres",
    supports: { durable: true, shared: true },
    createPlace() {
      const { options, remove } = places.create();
      return { open: () => openPostgresStorage(options), remove };
    },
  },
);
