import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { createSystemClock } from "../../../src/adapters/node/index.ts";
import { openSqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { rowsIn, temporaryPlace } from "../../adapters/sqlite/temporary-place.ts";
import { bundleProgram } from "../../support/bundle-program.ts";

it("orders of the day and a ban outlive a SIGKILL, without a call that writes them", async () => {
  const { path, remove } = temporaryPlace();
  onTestFinished(remove);
  const program = await bundleProgram("test/campaigns/crash/limits-child.ts", "limits-child");
  for (let life = 1; life <= 2; life++) {
    const child = spawn(process.execPath, [program, path, "40"], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = once(child, "exit");
    const [until] = await once(child.stdout, "data");
    const orders = (): unknown =>
      rowsIn(path, "orders").reduce((sum, [, text]) => sum + Number.parseInt(text, 10), 0);
    await expect.poll(orders).toBe(40 * life);
    // The end that was told is a sum of two clocks, between whose readings the process may have waited.
    const stored = Math.max(...rowsIn(path, "ban").map(([, text]) => Number.parseInt(text, 10)));
    expect(Math.abs(stored - Number(String(until)))).toBeLessThan(60_000);
    child.kill("SIGKILL");
    await ended;
    const store = openSqliteStore({ path });
    const limiter = await store.openRateLimiter({ clock: createSystemClock() });
    const { refused } = await limiter.weigh({ address: "192.0.2.1", weight: 1 });
    expect(refused?.kind).toBe("ban");
    const { counts } = await limiter.takeOrders({ accountId: 1, count: 0 });
    expect(counts.perDay).toBe(40 * life);
    await store.close();
  }
});
