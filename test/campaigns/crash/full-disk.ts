import { createInterface } from "node:readline";
import type { Reply, SandboxProcess } from "../../support/sandbox-process.ts";

/** Uses up the free space of a sandbox's files, and releases it. */
export type DiskOf = Readonly<{ fill: () => void; free: () => void }>;

/** Codes of the answers to a managed and a native order, by time of placement, and the output of the sandbox. */
export type FullDisk = Readonly<{
  codes: Readonly<Record<string, readonly number[]>>;
  answer: readonly string[];
}>;

/**
 * Places orders before, on, and after a full disk. Throws if an acknowledged order is missing afterwards, if a refused
 * order exists, or if the journal gives another state.
 */
export async function fillDisk(sandbox: SandboxProcess, disk: DiskOf): Promise<FullDisk> {
  const answer: string[] = [];
  const { stderr } = sandbox.process;
  if (stderr !== null) createInterface({ input: stderr }).on("line", (line) => void answer.push(line));
  const before = await placeBoth(sandbox, "before");
  disk.fill();
  const full = await placeBoth(sandbox, "full");
  const still = await placeBoth(sandbox, "still");
  disk.free();
  const after = await placeBoth(sandbox, "after");
  const codes = { before, full, still, after };
  await checkOrders(sandbox, codes);
  return { codes, answer };
}

async function placeBoth(sandbox: SandboxProcess, id: string): Promise<readonly number[]> {
  const fields = { symbol: "BTC/USD", side: "BUY", quantity: "20", price: "1" };
  const managed = { ...fields, type: "SYNTHETIC_LIMIT", newClientOrderId: id };
  const native = { ...fields, type: "LIMIT", newClientOrderId: `n-${id}` };
  const replies = [
    await sandbox.signed("POST", "/api/order", managed),
    await sandbox.signed("POST", "/api/v2/order", native),
  ];
  return replies.map(({ status, body }) => body.code ?? status);
}

async function checkOrders(sandbox: SandboxProcess, codes: FullDisk["codes"]): Promise<void> {
  const open = await sandbox.signed("GET", "/api/v3/openOrders", { apiManaged: true });
  const managed = idsOf(open.body["orders"]);
  const native = idsOf((await sandbox.signed("GET", "/api/v2/allOrders", { symbol: "BTC/USD" })).body);
  for (const [id, [ofManaged, ofNative]] of Object.entries(codes)) {
    checkOne(id, ofManaged, managed);
    checkOne(`n-${id}`, ofNative, native);
  }
  const { equal } = await sandbox.control("GET", "verify");
  if (equal !== true) throw new Error("I53: the journal makes another state after a full disk");
}

function checkOne(id: string, code: number | undefined, there: ReadonlySet<unknown>): void {
  if (code === 200 && !there.has(id)) throw new Error(`I01: acknowledged ${id} is not there`);
  if (code === -1001 && there.has(id)) throw new Error(`I02: refused ${id} is there`);
}

const idsOf = (orders: unknown): ReadonlySet<unknown> =>
  new Set((orders as readonly Reply["body"][]).map((order) => order["clientOrderId"]));
