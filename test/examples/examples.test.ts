import { fileURLToPath } from "node:url";
import { format } from "node:util";
import { afterEach, expect, it, vi } from "vitest";

const folder = fileURLToPath(new URL("../../examples/", import.meta.url));

afterEach(() => {
  vi.restoreAllMocks();
});

/** Runs an example to its end; returns its output. */
async function run(name: string): Promise<string> {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  await import(`${folder}${name}/main.ts`);
  return log.mock.calls.map((values) => `${format(...values)}\n`).join("");
}

const mounts = ["mount-node-http", "mount-express", "mount-fastify", "mount-hono"];

for (const name of [
  "bracket",
  "client-reconcile",
  "engine-in-memory",
  "node-host",
  "private-stream",
  ...mounts,
]) {
  it(`examples/${name} prints its expected.txt`, async () => {
    await expect(await run(name)).toMatchFileSnapshot(`${folder}${name}/expected.txt`);
  });
}
