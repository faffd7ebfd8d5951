import { join } from "node:path";
import { cjsRunner, esmRunner } from "../project.mjs";
import { installed, run, stepsOf } from "../run.mjs";

const PIN = "@oven/bun-linux-x64-baseline";

/** Bun installs the package itself, and runs the program as TypeScript. */
export const consumers = [
  {
    pin: PIN,
    name: "Bun",
    form: "ES modules",
    async run({ projects, access }) {
      const project = await bunProject(projects);
      project.writeSource("program.ts");
      const main = project.write("main.ts", esmRunner(access, "./program.ts"));
      return await stepsOf(project.folder, [installed(`${PIN}/bin/bun`), main]);
    },
  },
  {
    pin: PIN,
    name: "Bun",
    form: "CommonJS",
    async run({ projects, access }) {
      const project = await bunProject(projects);
      await project.writeProgram("program.cjs", "cjs");
      const main = project.write("main.cjs", cjsRunner(access));
      return await stepsOf(project.folder, [installed(`${PIN}/bin/bun`), main]);
    },
  },
];

async function bunProject(projects) {
  const project = projects.create({ dependencies: { "managed-orders": `file:${projects.tarball}` } });
  const cache = join(projects.folder, "bun-cache");
  await run(project.folder, [installed(`${PIN}/bin/bun`), "install"], { BUN_INSTALL_CACHE_DIR: cache });
  return project;
}
