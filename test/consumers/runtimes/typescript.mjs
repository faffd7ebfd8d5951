import { esmRunner } from "../project.mjs";
import { installed, run, stepsOf } from "../run.mjs";

/** The strictest options; the types of the package and of its dependencies are checked too, with no types of a platform. */
const STRICT = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
  ...{ target: "ES2022", lib: ["ES2023"], types: [] },
};

const NODE16 = ["node16", "module", { module: "node16", moduleResolution: "node16" }];
const BUNDLER = ["bundler", "module", { module: "esnext", moduleResolution: "bundler" }];
/** It finds types by `typesVersions` and does not read `exports`. TypeScript 7 no longer has it. */
const NODE10 = ["node10", "commonjs", { module: "commonjs", moduleResolution: "node10" }];

export const consumers = [
  ...[NODE16, BUNDLER, NODE10].map((resolution) => consumer("typescript-5", resolution)),
  ...[NODE16, BUNDLER].map((resolution) => consumer("typescript-7", resolution)),
];

/** Compiles the program and runs what the compiler has written. */
function consumer(pin, [resolution, type, options]) {
  return {
    pin,
    name: "TypeScript",
    form: `resolution ${resolution}`,
    types: true,
    async run({ projects, plain, access }) {
      const project = projects.sharing(plain, { type });
      project.writeSource("program.ts");
      const compilerOptions = { ...STRICT, ...options };
      project.write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["program.ts"] }));
      await run(project.folder, [process.execPath, installed(`${pin}/bin/tsc`), "-p", "."]);
      const main = project.write("main.mjs", esmRunner(access, "./program.js"));
      return await stepsOf(project.folder, [installed("node-24/bin/node"), main]);
    },
  };
}
