import { describe, expect, it } from "vitest";
import { openPostgresCluster, openPostgresStore } from "../../../src/adapters/postgres/index.ts";
import type { Place, Places } from "./places.ts";

/** Openings by users that lack some right. */
export function rightsCases(places: Places): void {
  let roles = 0;
  /** Runs work as a new user that has only what `grants` gives it, and removes both. */
  async function asUser(
    grants: (names: Readonly<{ schema: string; role: string }>) => readonly string[],
    work: (options: Place["options"]) => Promise<void>,
  ): Promise<void> {
    const { options, schema, remove } = places.create();
    const role = `user_${process.pid}_${++roles}`;
    for (const text of [`CREATE ROLE ${role} LOGIN`, ...grants({ schema, role })]) await places.execute(text);
    const url = Object.assign(new URL(options.url), { username: role }).href;
    try {
      await work({ ...options, url });
    } finally {
      await remove();
      await places.execute(`DROP ROLE ${role}`);
    }
  }

  describe("rights", () => {
    it("a user who may not create schemas opens a store in one that it owns", async () => {
      const grants = ({ schema, role }: Readonly<{ schema: string; role: string }>) => [
        `CREATE SCHEMA ${schema} AUTHORIZATION ${role}`,
      ];
      await asUser(grants, async (options) => {
        await using store = await openPostgresStore(options);
        expect(await store.acquire()).toHaveLength(256);
      });
    });

    it("a user without rights to the tables of a store is refused in words", async () => {
      const grants = ({ schema, role }: Readonly<{ schema: string; role: string }>) => [
        `CREATE SCHEMA ${schema}`,
        `CREATE TABLE ${schema}.managed_orders_version (version int4 PRIMARY KEY, usable_from int4 NOT NULL)`,
        `GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}`,
        `GRANT CREATE ON DATABASE postgres TO ${role}`,
        `GRANT ${role} TO CURRENT_USER`,
      ];
      const revoke = ({ url }: Place["options"]) => new URL(url).username;
      await asUser(grants, async (options) => {
        await expect(openPostgresStore(options)).rejects.toMatchObject({
          code: "42501",
          message: expect.stringContaining("the user has no rights to"),
        });
        const { url, schema = "" } = options;
        await expect(openPostgresCluster({ url, schema })).rejects.toMatchObject({
          code: "42501",
          message: expect.stringContaining("use the user of the nodes"),
        });
        await places.execute(`REVOKE CREATE ON DATABASE postgres FROM ${revoke(options)}`);
      });
    });
  });
}
