import { type ChildProcess, fork } from "node:child_process";
import { type FuzzServer, openFuzzServer, type ServerReport } from "./server.ts";

/** A fuzzed server in a separate process, so that its memory and its turns are measured alone. */
export type ServerProcess = Readonly<{
  port: number;
  report: () => Promise<ServerReport>;
  verify: () => Promise<boolean>;
  /** How it ended; undefined while it lives. */
  ended: () => string | undefined;
  close: () => Promise<void>;
}>;

type Question = "report" | "verify" | "close";
type ServerAnswer = Readonly<{ question: Question | "port"; answer: unknown }>;

/** Starts `program` with the word `server`; it must call {@link serveParent}. */
export async function startServer(program: string, path: string): Promise<ServerProcess> {
  const child = fork(program, ["server", path], { execArgv: ["--expose-gc", "--max-old-space-size=1024"] });
  let how: string | undefined;
  child.once("exit", (code, signal) => {
    how = `the server ended with ${signal ?? code}`;
  });
  const ask = async (question: Question): Promise<unknown> => {
    if (how !== undefined) throw new Error(how);
    child.send(question);
    return await reportedBy(child, question);
  };
  const port = (await reportedBy(child, "port")) as number;
  return {
    port,
    report: async () => (await ask("report")) as ServerReport,
    verify: async () => (await ask("verify")) as boolean,
    ended: () => how,
    async close() {
      if (how !== undefined) return;
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      child.send("close" satisfies Question);
      await ended;
    },
  };
}

function reportedBy(child: ChildProcess, question: ServerAnswer["question"]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end = (act: () => void): void => {
      child.off("exit", onExit);
      child.off("message", onMessage);
      act();
    };
    const onExit = (code: number | null, signal: string | null): void =>
      end(() => reject(new Error(`the server ended with ${signal ?? code}`)));
    const onMessage = (message: unknown): void => {
      const reported = message as ServerAnswer;
      if (reported.question === question) end(() => resolve(reported.answer));
    };
    child.on("exit", onExit);
    child.on("message", onMessage);
  });
}

/** Runs a server and answers its parent until the parent closes it. */
export async function serveParent(path: string): Promise<void> {
  const server = await openFuzzServer(path);
  const report = (reported: ServerAnswer): void => void process.send?.(reported);
  process.on("disconnect", () => process.exit(1));
  process.on("message", (question: Question) => {
    void answer(server, question).then((reported) => {
      report({ question, answer: reported });
      if (question === "close") process.exit(0);
    });
  });
  report({ question: "port", answer: server.port });
}

async function answer(server: FuzzServer, question: Question): Promise<unknown> {
  if (question === "close") return await server.close();
  return question === "verify" ? await server.verify() : await server.report();
}
