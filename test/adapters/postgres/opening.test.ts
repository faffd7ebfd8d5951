import { expect, it } from "vitest";
import type { Database } from "../../../src/adapters/postgres/database.ts";
import { requireCurrent } from "../../../src/adapters/postgres/opening.ts";
import { PostgresStoreError } from "../../../src/adapters/postgres/postgres-error.ts";
import { OPENING } from "../../../src/adapters/postgres/schema.ts";

it("a connection that is lost while a store is looked for does not say that there is none", async () => {
  const lost = new PostgresStoreError("orders cannot be reached (ECONNRESET)", "ECONNRESET");
  const database = {
    place: { schema: "orders", database: "exchange" },
    read: async (statement: unknown) => {
      if (statement === OPENING.versions) throw lost;
      return [];
    },
  } as unknown as Database;
  await expect(requireCurrent(database)).rejects.toBe(lost);
});
