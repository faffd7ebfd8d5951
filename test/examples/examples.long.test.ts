import { format } from "node:util";
import { afterEach, expect, it, vi } from "vitest";
import { sandboxOf } from "./example-sandbox.ts";
import { root } from "./markdown.ts";

const folder = `${root}examples/`;

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
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
  "express-bracket",
  "foreign-venue",
  "node-host",
  "private-stream",
  "simulation-report",
  "venue-over-http",
  ...mounts,
]) {
  it(`examples/${name} prints its expected.txt`, async () => {
    await expect(await run(name)).toMatchFileSnapshot(`${folder}${name}/expected.txt`);
  });
}

it("examples/schedule-preview prints its expected.txt on the sandbox of its page", async () => {
  const { url, controlUrl = "" } = await sandboxOf("schedule-preview");
  vi.stubEnv("SANDBOX_URL", url);
  vi.stubEnv("CONTROL_URL", controlUrl);
  await expect(await run("schedule-preview")).toMatchFileSnapshot(`${folder}schedule-preview/expected.txt`);
});
