import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandboxProcess } from "../../support/sandbox-process.ts";
import { fillDisk } from "./full-disk.ts";

const ROOM = "size=4m";

/**
 * Tests a full disk and a read-only file system, each a separate mount; if mounting is not allowed, says that both were
 * left out.
 */
export async function mountCampaign(report: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-mount-"));
  const [disk, store] = [join(folder, "disk"), join(folder, "store")];
  mkdirSync(disk);
  mkdirSync(store);
  try {
    if (!run("mount", "-t", "tmpfs", "-o", ROOM, "none", disk)) {
      report("left out: a full disk and a read-only file system, since this user may not mount");
      return;
    }
    await fillMounted(disk, report);
    run("umount", disk);
    await startReadOnly(store, disk, report);
  } finally {
    run("umount", disk);
    rmSync(folder, { recursive: true, force: true });
  }
}

const environment = (folder: string): Readonly<Record<string, string>> => ({
  STORE: `sqlite:${folder}/orders.db`,
  MARKET: "manual",
  CLOCK: "manual",
});

async function fillMounted(disk: string, report: (line: string) => void): Promise<void> {
  const sandbox = await startSandboxProcess(environment(disk));
  const filler = join(disk, "filler");
  try {
    const { codes, answer } = await fillDisk(sandbox, {
      fill: () => {
        const { bavail, bsize } = statfsSync(disk);
        writeFileSync(filler, Buffer.alloc(bavail * bsize));
      },
      free: () => rmSync(filler),
    });
    if (codes["full"]?.[0] !== -1001 || codes["after"]?.join() !== "200,200")
      throw new Error(`a full disk: ${JSON.stringify(codes)}`);
    report(`a full disk: ${answer.join(" | ")}`);
  } finally {
    await sandbox.kill();
  }
}

async function startReadOnly(store: string, mount: string, report: (line: string) => void): Promise<void> {
  await (await startSandboxProcess(environment(store))).kill();
  if (!run("mount", "--bind", store, mount) || !run("mount", "-o", "remount,bind,ro", mount))
    throw new Error("a folder cannot be mounted read-only, though a file system can be mounted");
  const refused = await startSandboxProcess(environment(mount)).then(
    async (sandbox) => {
      await sandbox.kill();
      return "it started";
    },
    (error: Error) => error.message.trim(),
  );
  report(`a read-only file system: ${refused}`);
  if (refused !== READ_ONLY) throw new Error(`not refused in one sentence: ${refused}`);
}

const READ_ONLY =
  "the sandbox ended with 2: managed-orders: orders.db cannot be opened (EROFS): its file system is read-only";

const run = (command: string, ...args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: "ignore" }).status === 0;
