import { type ChildProcess, spawn } from "node:child_process";

const MARK = "-- end of block --";

/** One shell that runs blocks in sequence, so that variables and functions persist. */
export type ShellSession = Readonly<{
  /** Runs a block; returns its output, including errors. */
  run: (block: string) => Promise<string>;
  end: () => void;
}>;

/** Opens a shell in a folder, with these variables. */
export function openShell(folder: string, variables: Readonly<Record<string, string>> = {}): ShellSession {
  const env = { PATH: process.env.PATH ?? "", ...variables };
  const shell = spawn("bash", ["--norc", "--noprofile", "-c", "exec bash --norc --noprofile 2>&1"], {
    env,
    cwd: folder,
    stdio: ["pipe", "pipe", "inherit"],
  });
  return {
    run(block) {
      shell.stdin.write(`${block}\necho "${MARK}"\n`);
      return printed(shell);
    },
    end: () => void shell.kill(),
  };
}

/** Reads the shell's output up to the mark. */
function printed(shell: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const read = (chunk: Buffer): void => {
      text += chunk.toString();
      if (!text.endsWith(`${MARK}\n`)) return;
      shell.stdout?.off("data", read);
      shell.off("exit", lost);
      resolve(text.slice(0, -MARK.length - 1));
    };
    const lost = (): void => reject(new Error(`the shell ended: ${text}`));
    shell.stdout?.on("data", read);
    shell.once("exit", lost);
  });
}
