import { type ChildProcess, fork } from "node:child_process";
import { constants, setPriority } from "node:os";
import type { AttackTarget, Harm } from "./attack.ts";
import type { ServerState } from "./server.ts";

/** A server in a separate process, with a heap of 512 MB. */
export type ServerProcess = Readonly<{
  port: number;
  attackedPort: number;
  /** Rejects if the process has ended, or does not answer in ten seconds. */
  state: () => Promise<ServerState>;
  /** How it ended; undefined while it lives. */
  ended: () => string | undefined;
  close: () => Promise<void>;
}>;

const HEAP_MB = 512;
const PATIENCE_MS = 10_000;
const START_PATIENCE_MS = 60_000;

/** How much longer attackers of low priority may take on a busy machine. */
const ATTACKER_PATIENCE_MS = 60_000;

/** Starts `program` with the word `server`, in the state in which an attack finds it. */
export async function startServer(program: string, folder: string, attack: string): Promise<ServerProcess> {
  const child = fork(program, ["server", folder, attack], {
    execArgv: ["--expose-gc", `--max-old-space-size=${HEAP_MB}`],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  let how: string | undefined;
  const exit = new Promise<void>((resolve) =>
    child.once("exit", (code, signal) => {
      how = `ended with ${signal ?? code}`;
      resolve();
    }),
  );
  const ports = (await answerOf(child, START_PATIENCE_MS)) as Pick<ServerProcess, "port" | "attackedPort">;
  return {
    ...ports,
    ended: () => how,
    async state() {
      if (how === undefined) child.send("state");
      return (await answerOf(child)) as ServerState;
    },
    async close() {
      if (how === undefined) child.kill("SIGKILL");
      await exit;
    },
  };
}

/** Runs an attack in a separate process, which says when it begins; resolves to its observations. */
export async function startAttacker(
  program: string,
  attacked: AttackTarget,
  begins: () => void,
): Promise<Harm> {
  const child = fork(program, ["attacker", JSON.stringify(attacked)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  // Server and honest client have priority: the number of cores is not what is measured.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  try {
    await answerOf(child, ATTACKER_PATIENCE_MS);
    begins();
    return (await answerOf(child, attacked.milliseconds + ATTACKER_PATIENCE_MS)) as Harm;
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

function answerOf(child: ChildProcess, patienceMs: number = PATIENCE_MS): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end = (act: () => void): void => {
      clearTimeout(timer);
      child.off("exit", onExit);
      child.off("message", onMessage);
      act();
    };
    const onExit = (code: number | null, signal: string | null): void =>
      end(() => reject(new Error(`the process ended with ${signal ?? code}`)));
    const onMessage = (message: unknown): void => end(() => resolve(message));
    const timer = setTimeout(() => end(() => reject(new Error(`no answer in ${patienceMs} ms`))), patienceMs);
    if (child.exitCode !== null || child.signalCode !== null) return onExit(child.exitCode, child.signalCode);
    child.on("exit", onExit);
    child.on("message", onMessage);
  });
}
