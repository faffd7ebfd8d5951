import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

type Violation = Readonly<{ rule: { name: string }; from: string; to: string }>;

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const cruiser = at("../../node_modules/dependency-cruiser/bin/dependency-cruise.mjs");

/** `rule: from -> to` for every violation below `cwd`. */
function cruise(cwd: string): readonly string[] {
  const args = [cruiser, "--config", at("dependency-cruiser.cjs"), "--output-type", "json", "src"];
  const run = spawnSync(process.execPath, args, { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (run.stdout === "") throw new Error(run.stderr);
  const report = JSON.parse(run.stdout) as { summary: { violations: readonly Violation[] } };
  const shorten = (path: string): string => path.replace(/^src\//, "").replace(/^.*node_modules\//, "");
  return report.summary.violations
    .map((v) => `${v.rule.name}: ${shorten(v.from)} -> ${shorten(v.to)}`)
    .sort();
}

describe("the ordered folders", () => {
  it("every kind of forbidden import is found, and no other import", () => {
    expect(cruise(at("fixtures/layers"))).toEqual([
      "builtins: adapters/memory/index.ts -> fs",
      "builtins: wire/digest.ts -> crypto",
      "cycles: wire/about.ts -> wire/round.ts",
      "hmac-by-condition: signing/direct.ts -> signing/hmac-node.ts",
      "known-folders-from: extras/index.ts -> errors/index.ts",
      "known-folders: sandbox/extra.ts -> extras/index.ts",
      "known-packages: service/generates.ts -> fast-check/lib/fast-check.js",
      "known-rooms-service: service/generates.ts -> fast-check/lib/fast-check.js",
      "order-adapters-sqlite: adapters/sqlite/borrows.ts -> adapters/memory/index.ts",
      "order-client: client/index.ts -> ports/index.ts",
      "order-decimal: decimal/upwards.ts -> wire/index.ts",
      "order-engine: engine/commit/remembers.ts -> adapters/memory/index.ts",
      "order-index: index.ts -> engine/index.ts",
      "order-requests: requests/types.ts -> engine/index.ts",
      "order-rules: rules/index.ts -> engine/index.ts",
      "order-sandbox: sandbox/extra.ts -> extras/index.ts",
      "package-better-sqlite3: adapters/node/stores.ts -> better-sqlite3/lib/index.js",
      "package-decimal-js: engine/core/divides.ts -> decimal.js/decimal.js",
      "package-eventemitter3: ports/emits.ts -> eventemitter3/index.js",
      "package-noble-hashes: signing/noble.ts -> @noble/hashes/hmac.js",
      "package-zod: model/validates.ts -> zod/index.cjs",
      "rooms-engine-shards: engine/shards/upwards.ts -> engine/commit/remembers.ts",
      "rooms-service-access: service/access/upwards.ts -> service/rest/parts.ts",
      "sources-only: wire/helped.ts -> test/helper.ts",
      "unresolved: wire/lost.ts -> ./nowhere.ts",
    ]);
  });
});
