import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgresStore } from "../../src/adapters/postgres/index.ts";
import { part, sampleRecord } from "../store/rules/samples.ts";
import { BATCH, open } from "./faults.ts";
import { Server } from "./server.ts";
import { rowsOf, session } from "./session.ts";
import { demand, type Step, type Surroundings, until } from "./steps.ts";

const WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

/** Two servers: one commits only what the other, which can take its place, has written too. */
async function syncPair(binaries: string): Promise<Readonly<{ first: Server; second: Server }>> {
  const first = await Server.create(binaries, { synchronous_standby_names: "second" });
  await first.kill();
  const second = await Server.standbyOf(first, "second");
  await first.start();
  await second.start();
  return { first, second };
}

/** An append is committed on the primary alone, and its wait for the standby is ended. Nothing of it is lost. */
async function endedInTheWait(
  { first, second }: Readonly<{ first: Server; second: Server }>,
  { schema, sequence, end }: Readonly<{ schema: string; sequence: number; end: "cancel" | "terminate" }>,
): Promise<void> {
  const place: Surroundings = { server: first, schema };
  const store = await open(place);
  const [, , , head] = await store.acquire();
  const epoch = head?.epoch ?? 0;
  await second.kill();
  const outcome = store.append(BATCH(epoch, 0, sequence)).then(String, (error: Error) => error.name);
  const client = await session(first);
  await until("the wait for the standby", async () => (await rowsOf(client, WAITING))[0]?.[0] === "1");
  await rowsOf(client, `SELECT pg_${end}_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
  demand((await outcome) === "UnknownOutcome", `an append whose wait was ended was told as ${await outcome}`);
  const fencing = store.fence({ shard: 3, epoch, round: 1 });
  await until("the fence in the wait", async () => (await rowsOf(client, WAITING))[0]?.[0] === "1");
  await second.start();
  await fencing;
  demand((await store.head(3)).sequence === sequence, "a committed append was not read back");
  await client.end();
  await store.close();
}

const failover: Step = async ({ binaries = "", schema }) => {
  const pair = await syncPair(binaries);
  const { first, second } = pair;
  try {
    await endedInTheWait(pair, { schema, sequence: 1, end: "cancel" });
    await endedInTheWait(pair, { schema, sequence: 2, end: "terminate" });
    const store = await open({ server: first, schema });
    const [, , , head] = await store.acquire();
    let durable = 2;
    const writing = (async () => {
      for (;;) if ((await store.append(BATCH(head?.epoch ?? 0, 0, durable + 1)))[0] === "durable") durable++;
    })().catch((error: Error) => error.name);
    await until("appends", () => durable > 30);
    await first.kill();
    await writing;
    const client = await session(second);
    await rowsOf(client, "SELECT pg_promote()");
    await client.end();
    const successor = await open({ server: second, schema });
    const [, , , there] = await successor.acquire();
    const sequence = there?.sequence ?? 0;
    demand(sequence === durable || sequence === durable + 1, `${sequence} records, ${durable} were reported`);
    const outcome = await successor.append(BATCH(there?.epoch ?? 0, 0, sequence + 1));
    demand(outcome[0] === "durable", "the promoted server takes no appends");
    await store.close();
    await successor.close();
  } finally {
    await second.remove();
    await first.remove();
  }
};

const fullDisk: Step = async ({ server, schema }) => {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-small-"));
  chmodSync(folder, 0o755);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m,mode=777", "tmpfs", folder], { stdio: "pipe" });
  } catch {
    rmSync(folder, { recursive: true });
    return void console.error("  a disk that is full was not tried: this user may not mount a file system");
  }
  const client = await session(server);
  const own = join(folder, "tables");
  try {
    execFileSync("install", ["-d", "-o", "nobody", "-m", "700", own]);
    await client.query(`CREATE TABLESPACE small LOCATION '${own}'`);
    await client.query("CREATE ROLE small LOGIN SUPERUSER");
    await client.query("ALTER ROLE small SET default_tablespace = 'small'");
    await fillAndFree({ server, schema }, join(folder, "ballast"));
  } finally {
    await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    await client.query("DROP TABLESPACE IF EXISTS small").catch(() => undefined);
    await client.query("DROP ROLE IF EXISTS small").catch(() => undefined);
    await client.end();
    execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true });
  }
};

async function fillAndFree({ server, schema }: Surroundings, ballast: string): Promise<void> {
  const url = server.url(server.port, "small");
  const store = await openPostgresStore({ url, schema, requireDurability: false });
  await store.acquire();
  let last = 0;
  const append = async (): Promise<void> => {
    const detail = randomBytes(8_000).toString("hex");
    const facts = [{ kind: "ALERT" as const, alert: "LATE_FILL" as const, detail }];
    const record = { ...sampleRecord(3, last + 1), changes: [{ orderId: -3, previous: 0, facts }] };
    const [outcome] = await store.append({ shards: [part(3, 1, { records: [record] })] });
    if (outcome === "durable") last++;
  };
  await append();
  try {
    writeFileSync(ballast, Buffer.alloc(64 * 2 ** 20));
  } catch {
    // As full as it gets.
  }
  let refusal: unknown;
  for (let n = 0; n < 400 && refusal === undefined; n++)
    await append().catch((error: unknown) => {
      refusal = error;
    });
  demand(
    /the disk of .* is full: free space; nothing was written \(53100\)/.test(String(refusal)),
    String(refusal),
  );
  demand((await store.head(3)).sequence === last, "an append that was refused was kept");
  rmSync(ballast);
  await append();
  demand((await store.head(3)).sequence === last, "an append after the disk was freed is not there");
  await store.close();
}

const withoutRights: Step = async ({ server, schema }) => {
  const client = await session(server);
  await client.query("CREATE ROLE weak LOGIN");
  const url = server.url(server.port, "weak");
  const refusal = (): Promise<string> =>
    openPostgresStore({ url, schema, requireDurability: false }).then(
      () => "opened",
      (error: Error) => error.message,
    );
  demand(
    /has no rights to .*: grant CREATE on the database, or create the schema/.test(await refusal()),
    await refusal(),
  );
  const store = await open({ server, schema });
  await store.acquire();
  await store.append(BATCH(1, 0));
  demand(/has no rights to/.test(await refusal()), await refusal());
  demand((await store.head(3)).sequence === 1, "the store of another user was changed");
  await store.close();
  await client.query("DROP ROLE weak");
  await client.end();
};

/** A server that fails as a whole, or refuses. */
export const OUTAGE_STEPS: Readonly<Record<string, Step>> = {
  "I01: appends that are ended in the wait for a synchronous standby, and a failover to it": failover,
  "I01: a disk that is full": fullDisk,
  "a user without rights": withoutRights,
};
