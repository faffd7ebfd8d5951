import { type ChildProcess, fork } from "node:child_process";
import type { Line, Sample, Size } from "./line.ts";
import { LINES } from "./lines/index.ts";

/** Messages to and from a process that measures a line. */
type Order = Readonly<{ round: number }> | "close";
type Answer = "open" | "closed" | Sample;

/** The sizes of a run: `SCALE=0.1` makes all of them smaller. */
export const sizeOf = (scale: number): Size => ({
  of: (count) => Math.max(1, Math.round(count * scale)),
  seconds: 6 * scale,
});

/** A line that a separate process measures. */
export type LineProcess = Readonly<{ take(round: number): Promise<Sample>; close(): Promise<void> }>;

/** Opens a line in a separate process, of this program or of the same benchmark built from other sources. */
export async function startLine(
  program: string,
  name: string,
  more: readonly string[] = [],
): Promise<LineProcess> {
  const line = LINES[name];
  const child = fork(program, ["--line", name], { execArgv: [...(line?.flags ?? ["--expose-gc"]), ...more] });
  await answerOf(child);
  return {
    async take(round) {
      child.send({ round });
      return (await answerOf(child)) as Sample;
    },
    async close() {
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      child.send("close");
      await answerOf(child);
      child.disconnect();
      await ended;
    },
  };
}

function answerOf(child: ChildProcess): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void =>
      reject(new Error(`the process of a line ended with ${code}`));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message as Answer);
    });
  });
}

/** The side of the child process: measures one line until the parent closes it. */
export async function serveLine(name: string, size: Size): Promise<void> {
  const line: Line | undefined = LINES[name];
  if (line === undefined) throw new Error(`there is no line ${name}`);
  const opened = await line.open(size);
  const say = (answer: Answer): void => void process.send?.(answer);
  process.on("message", (order: Order) => {
    const done = order === "close" ? opened.close().then((): Answer => "closed") : opened.take(order.round);
    // A line that fails ends its process; the waiting parent sees the exit.
    void done.then(say).catch((error) => {
      console.error(error);
      process.exit(1);
    });
  });
  say("open");
}
