import { esmRunner } from "../project.mjs";
import { installed, run, stepsOf } from "../run.mjs";

const PIN = "@deno/linux-x64-glibc";

/** Deno checks the program's types and runs it; it may use the network of the sandbox and nothing else. */
export const consumers = [
  {
    pin: PIN,
    name: "Deno",
    form: "ES modules",
    types: true,
    async run({ projects, plain, access }) {
      const project = projects.sharing(plain, { type: "module" });
      const deno = installed(`${PIN}/deno`);
      project.writeSource("program.ts");
      project.write("deno.json", JSON.stringify({ nodeModulesDir: "manual" }));
      const main = project.write("main.ts", esmRunner(access, "./program.ts"));
      await run(project.folder, [deno, "check", "program.ts"]);
      const net = `--allow-net=${new URL(access.baseUrl).host}`;
      return await stepsOf(project.folder, [deno, "run", "--no-prompt", net, main]);
    },
  },
];
