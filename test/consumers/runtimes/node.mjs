import { cjsRunner, esmRunner } from "../project.mjs";
import { installed, stepsOf } from "../run.mjs";

const VERSIONS = [20, 22, 24, 26];

/** Node.js from npm, with ES modules and CommonJS. Only Node.js 20 needs the package `ws`. */
export const consumers = VERSIONS.flatMap((version) => [
  consumer(version, "ES modules", async (project, access) => {
    await project.writeProgram("program.mjs", "esm");
    return project.write("main.mjs", esmRunner(access));
  }),
  consumer(version, "CommonJS", async (project, access) => {
    await project.writeProgram("program.cjs", "cjs");
    return project.write("main.cjs", cjsRunner(access));
  }),
]);

function consumer(version, form, write) {
  return {
    pin: `node-${version}`,
    name: "Node.js",
    form,
    async run({ projects, plain, withWs, access }) {
      const project = projects.sharing(version === 20 ? withWs : plain);
      const node = installed(`node-${version}/bin/node`);
      return await stepsOf(project.folder, [node, await write(project, access)]);
    },
  };
}
