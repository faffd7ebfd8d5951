import { readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { pageScript } from "../project.mjs";
import { here, installed, stepsOf } from "../run.mjs";

const PAGE = '<!doctype html><title>Orders</title><script type="module" src="/main.ts"></script>';

/** Vite builds a page; its script runs with the globals of a browser. */
export const consumers = [
  {
    pin: "vite",
    name: "Vite",
    form: "script of a page, without its browser",
    async run({ projects, plain, access }) {
      const project = projects.sharing(plain, { type: "module" });
      project.writeSource("program.ts");
      project.write("index.html", PAGE);
      project.write("main.ts", pageScript(access));
      await build({ root: project.folder, configFile: false, logLevel: "error" });
      const [script, ...others] = readdirSync(join(project.folder, "dist/assets"));
      if (others.length > 0) throw new Error(`the page has more than one script: ${others}`);
      const flags = ["--experimental-vm-modules", "--no-warnings"];
      const path = join(project.folder, "dist/assets", script);
      return await stepsOf(project.folder, [
        installed("node-24/bin/node"),
        ...flags,
        here("hosts/page.mjs"),
        path,
      ]);
    },
  },
];
