import { expect, it } from "vitest";
import { bundleProgram } from "../../support/bundle-program.ts";
import { seedOr } from "../../support/seed.ts";
import { fuzz } from "./campaign.ts";

const seed = seedOr(20_261_121);

const CASES = 1_000;

it(`hostile 1-95, I64: random and mutated requests and frames against a live server (SEED=${seed}); npm run program -- fuzz sends 120,000`, async () => {
  const program = await bundleProgram("test/campaigns/fuzz/main.ts", "fuzz-test");
  const result = await fuzz({ program, seed, cases: CASES, batch: CASES / 2, report: () => undefined });
  expect(result.problems).toEqual([]);
  expect(result.sent).toBe(CASES);
  // A run whose requests are all refused before they reach the service tests nothing.
  expect(result.successes.of("valid")).toBeGreaterThan(result.kinds.of("valid") * 0.6);
  expect(result.successes.of("valid (WebSocket)")).toBeGreaterThan(
    result.kinds.of("valid (WebSocket)") * 0.6,
  );
  expect(result.codes.rows().length).toBeGreaterThan(25);
  expect(result.created).toBeGreaterThan(100);
});
