import { readFileSync } from "node:fs";
import { join } from "node:path";
import { here, installed, run, stepsOf } from "../run.mjs";

const HERMES = "hermes-engine-cli";

/** What runs without a network: Hermes alone has none. */
const WITHOUT_NETWORK = ["signs", "finds a lost order"];

/** An app of React Native that keeps the program in a global. */
const APP = 'import { program } from "./program";\nglobalThis.program = program;\n';

let bundled;

/** Metro bundles the app once, with React Native's Babel preset; resolves to the path of the bundle. */
function bundle({ projects, plain }) {
  bundled ??= (async () => {
    const project = projects.sharing(plain);
    project.writeSource("program.ts");
    const out = join(project.folder, "app.js");
    const entry = project.write("index.js", APP);
    await run(project.folder, [installed("node-24/bin/node"), here("hosts/metro.cjs"), entry, out]);
    return out;
  })();
  return bundled;
}

export const consumers = [
  {
    pin: "metro",
    name: "Metro",
    form: "bundle for React Native, without its device",
    async run(given) {
      const path = await bundle(given);
      const host = [installed("node-24/bin/node"), here("hosts/app.mjs"), path, JSON.stringify(given.access)];
      return await stepsOf(given.projects.folder, host);
    },
  },
  {
    pin: HERMES,
    name: "Hermes",
    form: "bundle for React Native, with replies of its own",
    leavesOut: ["places and follows"],
    async run({ access, ...given }) {
      const texts = [
        readFileSync(here("hosts/hermes.js"), "utf8"),
        readFileSync(await bundle(given), "utf8"),
        `run(${JSON.stringify(access)}, ${JSON.stringify(WITHOUT_NETWORK)});`,
      ];
      const project = given.projects.create();
      const whole = project.write("app.js", texts.join("\n"));
      // With the optimisations of a release: the engine of 2022 has lost a variable with them.
      const command = [installed(`${HERMES}/linux64-bin/hermes`), "-O", "-Xes6-promise=1", whole];
      return await stepsOf(project.folder, command);
    },
  },
];
