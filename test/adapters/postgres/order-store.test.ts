import { afterAll, describe, it } from "vitest";
import { openPostgresStore } from "../../../src/adapters/postgres/index.ts";
import { testOrderStore, testRejections } from "../../../src/conformance/index.ts";
import { startPGlite } from "./pglite-server.ts";
import { placesOn } from "./places.ts";

const server = process.env.POSTGRES_URL === undefined ? await startPGlite() : undefined;
const places = placesOn(server?.url ?? process.env.POSTGRES_URL ?? "");
afterAll(async () => {
  await places.close();
  await server?.close();
});

testOrderStore(
  { describe, it },
  {
    name: "postgres",
    supports: { pageEndedNames: true, priceBars: true, progress: true, forgetEnded: false },
    createPlace() {
      const { options, remove } = places.create();
      return { open: () => openPostgresStore(options), remove };
    },
  },
);

testRejections(
  { describe, it },
  {
    name: "postgres",
    supports: { durable: true },
    createPlace() {
      const { options, remove } = places.create();
      return {
        async open() {
          const store = await openPostgresStore(options);
          const { rejections } = store;
          return { rejections, written: () => rejections.flush(), close: () => store.close() };
        },
        remove,
      };
    },
  },
);
