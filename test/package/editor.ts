import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "./consumer.ts";

/** A place in a file, from line 1 and offset 1. */
export type Place = Readonly<{ file: string; line: number; offset: number }>;

type Answer = Readonly<{
  command?: string;
  request_seq: number;
  body?: readonly Readonly<{ file: string; start: Omit<Place, "file"> }>[];
}>;

/** Asks the language server of TypeScript, as an editor does, for the definitions of the names at some places. */
export async function definitionsOf(names: readonly Place[]): Promise<readonly (readonly Place[])[]> {
  const server = join(root, "node_modules/typescript/lib/tsserver.js");
  const args = [server, "--disableAutomaticTypingAcquisition", "--suppressDiagnosticEvents"];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const send = (seq: number, command: string, words: unknown): boolean =>
    child.stdin.write(`${JSON.stringify({ seq, type: "request", command, arguments: words })}\n`);
  for (const file of new Set(names.map((place) => place.file))) send(-1, "open", { file });
  for (const [seq, place] of names.entries()) send(seq, "definition", place);
  const found: Place[][] = [];
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith("{")) continue;
      const { command, request_seq, body = [] } = JSON.parse(line) as Answer;
      if (command !== "definition") continue;
      found[request_seq] = body.map(({ file, start }) => ({ file, ...start }));
      if (request_seq === names.length - 1) break;
    }
  } finally {
    child.kill();
  }
  return found;
}
