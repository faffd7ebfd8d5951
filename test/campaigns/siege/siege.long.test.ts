import { expect, it } from "vitest";
import { bundleProgram } from "../../support/bundle-program.ts";
import { besiege } from "./campaign.ts";

/** The short form: two attacks that used to end or stop the process; `npm run siege` measures how long others wait. */
it("a process with a heap of 512 MB survives large messages and unknown paths; npm run siege has all attacks", async () => {
  const program = await bundleProgram("test/campaigns/siege/main.ts", "siege-test");
  for (const only of ["64 kB", "unknown paths"]) {
    const extent = { connections: 60, milliseconds: 1_000, only, report: () => undefined };
    const [outcome] = await besiege(program, extent);
    expect(outcome).toMatchObject({ ended: undefined });
    expect(outcome?.peakBytes).toBeLessThan(400 * 1_048_576);
  }
});
