import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Returns the sources in src/ that a host loads with an entry. */
async function sourcesOf(entry: string): Promise<readonly string[]> {
  const { metafile } = await build({
    ...{ absWorkingDir: root, entryPoints: [`src/${entry}/index.ts`], outdir: "unused" },
    ...{ bundle: true, write: false, metafile: true, platform: "node", format: "esm", packages: "external" },
  });
  return Object.keys(metafile.inputs);
}

const isCluster = (path: string): boolean => path.startsWith("src/cluster/");

it.each([
  ...[".", "client", "conformance", "engine", "ports", "rules", "service", "signing", "simulator", "store"],
  ...["memory", "sqlite", "postgres", "lmdb", "venue-http", "node"].map((name) => `adapters/${name}`),
])("a host with one process loads no file of the cluster with src/%s", async (entry) => {
  const sources = await sourcesOf(entry);
  expect(sources).toContain(`src/${entry}/index.ts`.replace("/./", "/"));
  expect(sources.filter(isCluster)).toEqual([]);
});

it("the entry of the cluster has the forwarding and the link between nodes", async () => {
  const sources = (await sourcesOf("cluster")).filter(isCluster);
  expect(sources).toContain("src/cluster/forwarder.ts");
  expect(sources).toContain("src/cluster/peers/link.ts");
});
