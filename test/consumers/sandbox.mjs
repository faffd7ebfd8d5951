import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [KEY, SECRET] = ["sandbox-key", "sandbox-secret"];

/** Starts `npx managed-orders sandbox` in a project. Its market moves by itself. */
export async function startSandbox(project) {
  const child = spawn(join(project.folder, "node_modules/.bin/managed-orders"), ["sandbox"], {
    cwd: project.folder,
    env: {
      ...{ PATH: process.env.PATH, STORE: "memory:", PORT: "auto", CONTROL_PORT: "off" },
      ...{ RATE_LIMITS: "off", LOG: "json", ALLOWED_ORIGINS: "*" },
      ...{ SANDBOX_API_KEY: KEY, SANDBOX_API_SECRET: SECRET },
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { url } = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the sandbox ended with ${code}`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const said = line.startsWith("{") ? JSON.parse(line) : {};
      if (said.ready === true) resolve(said);
    });
  });
  return { access: { baseUrl: url, apiKey: KEY, secret: SECRET }, stop: () => child.kill("SIGKILL") };
}
