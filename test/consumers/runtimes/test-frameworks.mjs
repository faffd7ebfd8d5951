import { readFileSync } from "node:fs";
import { join } from "node:path";
import { here, installed, run, stepsOf } from "../run.mjs";

const STEPS = ["signs", "places and follows", "finds a lost order"];

/**
 * Test frameworks that replace timers. jest's environment of a browser resolves packages as a browser does and takes
 * CommonJS only; it has no fetch and no MessageChannel, that of jest 29 no TextEncoder either, so less runs there. On Node.js 20, jest
 * cannot load `ws` as the client does: a program there passes its class.
 */
export const consumers = [
  jest(29, "node", ["signs", "finds a lost order"]),
  jest(29, "jsdom", []),
  jest(30, "node", ["signs", "finds a lost order"]),
  jest(30, "jsdom", ["signs"]),
];
consumers.push({
  pin: "sinon",
  name: "sinon",
  form: "fake timers",
  async run({ projects, plain, access }) {
    const project = await projectOf(projects, plain);
    const main = project.write("main.cjs", script(access, STEPS));
    return await stepsOf(project.folder, [installed("node-24/bin/node"), main]);
  },
});

function jest(version, environment, names) {
  return {
    pin: `jest-${version}`,
    name: "jest",
    form: `environment ${environment}`,
    leavesOut: STEPS.filter((step) => !names.includes(step)),
    async run({ projects, plain, access }) {
      const project = await projectOf(projects, plain);
      project.write("program.test.js", testFile(access, names, environment === "node"));
      const config = {
        rootDir: project.folder,
        transform: {},
        testEnvironment: environment === "node" ? "node" : installed(`jest-environment-jsdom-${version}`),
      };
      project.write("jest.config.json", JSON.stringify(config));
      await run(project.folder, [
        process.execPath,
        installed(`jest-${version}/bin/jest.js`),
        "--watchman=false",
      ]);
      return JSON.parse(readFileSync(join(project.folder, "steps.json"), "utf8"));
    },
  };
}

async function projectOf(projects, installed) {
  const project = projects.sharing(installed);
  await project.writeProgram("program.cjs", "cjs");
  project.write("simulated.cjs", readFileSync(here("hosts/simulated.cjs"), "utf8"));
  return project;
}

/** Loads the client, runs the steps, and then a backtest under fake timers, as one more step. */
const body = (access, names, simulates, [fake, real]) => `
  const { program } = require("./program.cjs");
  const steps = [...(await program({ ...${JSON.stringify(access)}, fetch: globalThis.fetch }, ${JSON.stringify(names)}))];
  if (${simulates}) {
    const simulated = require("./simulated.cjs");
    ${fake}
    const failure = await simulated().then(() => undefined, (error) => String(error.stack));
    ${real}
    steps.push({ step: "simulates under fake timers", failure });
  }
  if (typeof require("managed-orders/client").createClient !== "function") throw new Error("the client is not loaded");
`;

const testFile = (access, names, simulates) => `
test("runs", async () => {
  ${body(access, names, simulates, ["jest.useFakeTimers();", "jest.useRealTimers();"])}
  require("fs").writeFileSync(require("path").join(__dirname, "steps.json"), JSON.stringify(steps));
}, 120_000);
`;

const script = (access, names) => `
(async () => {
  const sinon = require(${JSON.stringify(here("node_modules/sinon"))});
  ${body(access, names, true, ["const clock = sinon.useFakeTimers();", "clock.restore();"])}
  console.log(JSON.stringify(steps));
})();
`;
