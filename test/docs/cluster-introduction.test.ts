import { expect, it } from "vitest";
import { introductionOf } from "../campaigns/cluster/introduction.ts";
import { blocksOf } from "../examples/markdown.ts";

it("docs/cluster.md shows what `npm run cluster` prints, with the key, the store and the processes", () => {
  const lines = introductionOf({
    frontUrl: "http://127.0.0.1:8080",
    storeUrl: "postgres://postgres@127.0.0.1:32768/postgres",
    nodes: [
      { name: "node-1", pid: 4001, port: 32_769, controlPort: 32_770, shards: 86 },
      { name: "node-2", pid: 4002, port: 32_771, controlPort: 32_772, shards: 85 },
      { name: "node-3", pid: 4003, port: 32_773, controlPort: 32_774, shards: 85 },
    ],
    venue: { url: "http://127.0.0.1:32775", controlUrl: "http://127.0.0.1:32776" },
    serving: ["node-2", "node-1", "node-3"],
  });
  const [shown, ...more] = blocksOf("docs/cluster.md").filter(({ text }) =>
    text.startsWith("REST and WebSocket:"),
  );
  expect(more).toEqual([]);
  expect(shown?.text).toBe(`${lines.join("\n")}\n`);
});
