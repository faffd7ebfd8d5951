import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { verifySqliteStore } from "../../../src/adapters/sqlite/index.ts";
import type { JournalPoint } from "../../../src/adapters/sqlite/journal-lifetime.ts";
import { createRandom } from "../../../src/common/random.ts";
import { words } from "../../../src/host-answers/index.ts";
import { bundleProgram } from "../../support/bundle-program.ts";
import { seedOr } from "../../support/seed.ts";

const KILLS = Number(process.env.KILLS ?? 4);
const seed = seedOr(20_261_123);

it(`SIGKILL at each named point and at random times, while records are archived, deleted and compressed, loses none (SEED=${seed})`, async () => {
  const random = createRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-archive-"));
  const [path, archive] = [join(folder, "orders.db"), join(folder, "archive")];
  const program = await bundleProgram("test/campaigns/crash/archive-child.ts", "archive-child");
  const points = words<JournalPoint>({
    ...{ "before-archive-write": true, "during-archive-write": true, "after-archive-write": true },
    ...{ "before-prune-commit": true, "after-prune-commit": true },
    ...{ "before-archive-swap": true, "during-archive-swap": true },
  });
  const kills = [...points, ...Array.from({ length: KILLS }, () => undefined)];
  try {
    let archived = 0;
    for (const at of kills) {
      const point = at === undefined ? [] : [at, String(random.below(3))];
      const child = spawn(process.execPath, [program, path, archive, ...point], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const ended = once(child, "exit");
      await once(child.stdout, "data");
      if (at === undefined) {
        // The moment of the kill is what the test is about: it is chosen by time, and nothing waits for it.
        const until = performance.now() + random.below(400);
        while (performance.now() < until) await new Promise((resolve) => process.nextTick(resolve));
        child.kill("SIGKILL");
      }
      expect((await ended)[1]).toBe("SIGKILL");
      const found = await verifySqliteStore({ path, archive });
      expect(found, `kill at ${at ?? "a random time"}`).toMatchObject({
        whole: true,
        missing: 0,
        problems: 0,
      });
      expect(found.archived).toBeGreaterThanOrEqual(archived);
      archived = found.archived;
    }
    expect(archived).toBeGreaterThan(0);
    expect(readdirSync(archive).some((name) => name.endsWith(".gz"))).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
