import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { transform } from "esbuild";
import { here, run } from "./run.mjs";

const PROGRAM = readFileSync(here("program.ts"), "utf8");

/** Makes the projects of consumers, all of the same tarball. */
export class Projects {
  /** Holds everything of the run. */
  folder = mkdtempSync(join(tmpdir(), "managed-orders-consumers-"));
  tarball;
  #made = 0;

  /** Packs the package as it would be published; dist/ must be built. */
  async pack() {
    const words = ["npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", this.folder];
    this.tarball = join(this.folder, (await run(here("../.."), words, npmEnv())).trim());
  }

  /** Makes a project, with a package.json of these members. */
  create(manifest = {}) {
    const folder = join(this.folder, `project-${++this.#made}`);
    mkdirSync(folder);
    const project = new Project(folder, this.tarball);
    project.write("package.json", JSON.stringify({ private: true, ...manifest }));
    return project;
  }

  /** Makes a project that shares the packages of another one. */
  sharing(installed, manifest = {}) {
    const project = this.create(manifest);
    symlinkSync(join(installed.folder, "node_modules"), join(project.folder, "node_modules"));
    return project;
  }
}

/** The project of one consumer: a folder outside the repository. */
class Project {
  constructor(folder, tarball) {
    this.folder = folder;
    this.tarball = tarball;
  }

  /** Installs the packed package, its dependencies and others from the registry. */
  async install(...others) {
    const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--silent"];
    await run(this.folder, ["npm", "install", ...flags, this.tarball, ...others], npmEnv());
  }

  write(name, text) {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** Writes the program in TypeScript. */
  writeSource(name) {
    this.write(name, PROGRAM);
  }

  /** Writes the program as JavaScript of a format, `esm` or `cjs`. */
  async writeProgram(name, format) {
    const { code } = await transform(PROGRAM, { loader: "ts", format, target: "es2022" });
    return this.write(name, code);
  }
}

/** npm keeps its cache and its settings. */
const npmEnv = () => process.env;

/** Text of an ES module that runs the program and prints its steps. */
export const esmRunner = (access, path = "./program.mjs") => `
import { program } from "${path}";
console.log(JSON.stringify(await program({ ...${JSON.stringify(access)}, fetch: globalThis.fetch })));
`;

/** The same as CommonJS. */
export const cjsRunner = (access, path = "./program.cjs") => `
const { program } = require("${path}");
program({ ...${JSON.stringify(access)}, fetch: globalThis.fetch }).then((steps) => console.log(JSON.stringify(steps)));
`;

/** Text of a script that a bundler turns into a page: it leaves the steps in a global. */
export const pageScript = (access) => `
import { program } from "./program";
globalThis.steps = program({ ...${JSON.stringify(access)}, fetch: (url, request) => fetch(url, request) });
`;
