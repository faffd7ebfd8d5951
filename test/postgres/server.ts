import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadDriver } from "../../src/adapters/postgres/connection.ts";
import { freePort } from "../support/free-port.ts";

/** The user under which the server runs if the tests run as root, which Postgres refuses. */
const NOBODY = 65_534;

/** Settings of the server. A killed process loses nothing that it has written, so it need not wait for the disk. */
const SETTINGS = {
  fsync: "off",
  max_connections: "40",
  synchronous_commit: "on",
  log_min_messages: "panic",
  wal_keep_size: "64MB",
};

const LONGEST_START_MS = 30_000;

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** A Postgres of its own, from the package that npm has installed, in a temporary folder. */
export class Server {
  readonly port: number;
  readonly #folder: string;
  readonly #user: Readonly<{ uid?: number; gid?: number }>;
  #process: ChildProcess | undefined;

  readonly #settings: Readonly<Record<string, string>>;

  private constructor(folder: string, port: number, settings: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.port = port;
    this.#settings = { ...SETTINGS, ...settings };
    this.#user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  }

  /** Copies the binaries of a package, creates a database cluster and starts it. */
  static async create(
    packageFolder: string,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<Server> {
    const native = join(packageFolder, "native");
    if (!existsSync(native))
      throw new Error(
        "Postgres is not installed: run npm run program -- postgres once; the package exists for Linux on x64 only",
      );
    const folder = mkdtempSync(join(tmpdir(), "managed-orders-postgres-"));
    const server = new Server(folder, await freePort(), settings);
    server.#install(native);
    await server.start();
    return server;
  }

  /** Copies a server that was killed, as its standby, which streams from it under a name once both are started. */
  static async standbyOf(primary: Server, name: string): Promise<Server> {
    const folder = mkdtempSync(join(tmpdir(), "managed-orders-postgres-"));
    const from = `host=127.0.0.1 port=${primary.port} user=postgres application_name=${name}`;
    const { synchronous_standby_names: _names, ...settings } = primary.#settings;
    const server = new Server(folder, await freePort(), { ...settings, primary_conninfo: from });
    // With owners and permissions.
    execFileSync("cp", ["-a", `${primary.#folder}/.`, folder]);
    rmSync(join(folder, "data/postmaster.pid"), { force: true });
    execFileSync("cp", ["-a", join(folder, "data/PG_VERSION"), join(folder, "data/standby.signal")]);
    return server;
  }

  /** URL of the database `postgres`; with a port, of a proxy. */
  url(port: number = this.port, user = "postgres"): string {
    return `postgres://${user}@127.0.0.1:${port}/postgres`;
  }

  /**
   * Starts the server, and resolves when it accepts connections. After a kill it is started again until it stays: it
   * ends at once while a process of the one before still holds the shared memory, or another socket its port.
   */
  async start(): Promise<void> {
    const end = performance.now() + LONGEST_START_MS;
    while (!(await this.#isReady(this.#spawn(), end)));
  }

  #spawn(): ChildProcess {
    const settings = Object.entries(this.#settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const listen = ["-p", String(this.port), "-h", "127.0.0.1", "-k", this.#folder];
    const words = ["-D", join(this.#folder, "data"), ...listen, ...settings];
    const started = spawn(join(this.#folder, "native/bin/postgres"), words, {
      ...this.#user,
      cwd: this.#folder,
      stdio: "ignore",
      detached: true,
    });
    this.#process = started;
    return started;
  }

  /** Resolves with true when the server accepts connections, and with false if it has ended before. */
  async #isReady(started: ChildProcess, end: number): Promise<boolean> {
    for (;;) {
      const client = loadDriver()({
        ...{ connectionString: this.url(), application_name: "start" },
        ...{ keepAlive: true, keepAliveInitialDelayMillis: 10_000 },
      });
      client.on("error", () => undefined);
      try {
        await client.connect();
        await client.end();
        return true;
      } catch (error) {
        if (performance.now() > end) throw new Error("the Postgres server does not start", { cause: error });
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (started.exitCode !== null) return false;
      }
    }
  }

  /** Kills the server and all of its processes with SIGKILL. */
  async kill(): Promise<void> {
    const { pid } = this.#process ?? {};
    if (this.#process === undefined || pid === undefined) return;
    const closed = once(this.#process, "close");
    // Each process of Postgres leads a session of its own, so that a signal to the group reaches the first one only.
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
    for (const each of [pid, ...children.filter((child) => child !== "").map(Number)]) killIfThere(each);
    await closed;
    this.#process = undefined;
  }

  /** Kills the server and removes its folder. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #install(native: string): void {
    const own = join(this.#folder, "native");
    cpSync(native, own, { recursive: true });
    const links = JSON.parse(readFileSync(join(own, "pg-symlinks.json"), "utf8")) as {
      source: string;
      target: string;
    }[];
    for (const { source, target } of links) {
      const link = join(this.#folder, target);
      if (!existsSync(link)) symlinkSync(join(this.#folder, source), link);
    }
    for (const name of ["initdb", "postgres", "pg_ctl"]) chmodSync(join(own, "bin", name), 0o755);
    chmodSync(this.#folder, 0o755);
    const { uid, gid } = this.#user;
    if (uid !== undefined && gid !== undefined) chownSync(this.#folder, uid, gid);
    const words = [
      "-D",
      join(this.#folder, "data"),
      "-U",
      "postgres",
      "-A",
      "trust",
      "--no-sync",
      "--no-instructions",
    ];
    execFileSync(join(own, "bin/initdb"), words, { ...this.#user, cwd: this.#folder, stdio: "pipe" });
  }
}
