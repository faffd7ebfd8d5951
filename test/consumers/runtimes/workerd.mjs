import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { installed } from "../run.mjs";

const PIN = "@cloudflare/workerd-linux-64";

/** A worker that runs the program for each request. */
const worker = (access) => `
import { program } from "./program.ts";
const given = ${JSON.stringify(access)};
export default {
  fetch: async () => Response.json(await program({ ...given, fetch: (url, request) => fetch(url, request) })),
};
`;

/** Its outbound requests may go to this machine. */
const CONFIG = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
);
`;

/** workerd without its Node.js compatibility; the worker is bundled with the conditions of Cloudflare's tool. */
export const consumers = [
  {
    pin: PIN,
    name: "workerd",
    form: "ES modules, bundled by esbuild",
    async run({ projects, plain, access }) {
      const program = installed(`${PIN}/bin/workerd`);
      const project = projects.sharing(plain);
      project.writeSource("program.ts");
      await build({
        stdin: { contents: worker(access), resolveDir: project.folder, loader: "ts" },
        outfile: `${project.folder}/worker.js`,
        bundle: true,
        format: "esm",
        conditions: ["workerd", "worker", "browser"],
        logLevel: "silent",
      });
      project.write("config.capnp", CONFIG);
      return await served(project.folder, program);
    },
  },
];

async function served(folder, program) {
  const child = spawn(program, ["serve", "config.capnp", "--control-fd=3"], {
    cwd: folder,
    env: {},
    stdio: ["ignore", "inherit", "pipe", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (part) => (said += part));
  try {
    const port = await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`workerd ended with ${code}: ${said}`)));
      createInterface({ input: child.stdio[3] }).on("line", (line) => {
        const message = JSON.parse(line);
        if (message.event === "listen") resolve(message.port);
      });
    });
    const reply = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(60_000) });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${reply.status} ${text} ${said}`);
    return JSON.parse(text);
  } finally {
    child.kill("SIGKILL");
  }
}
