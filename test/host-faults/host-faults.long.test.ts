import { describe, expect, it } from "vitest";
import { AFTER_CLOSE_MS, COLUMNS, type Column, LATE_MS } from "./columns.ts";
import { LEASE_CALLS, type LeaseCall, observeLease } from "./leases.ts";
import { PORTS, type Port } from "./ports.ts";
import { type FaultWorld, type Host, openFaultWorld } from "./world.ts";

/** The fault of ports that return a list. */
const TOO_LONG = "too long";
type PortColumn = Column | typeof TOO_LONG;

const columnsOf = ({ long }: Port): readonly PortColumn[] => [
  ...COLUMNS,
  ...(long ? ([TOO_LONG] as const) : []),
];

const WATCH_MS = 20_000;

/** Puts the fault of a column in place of a port's function. */
function install(port: Port, column: PortColumn, host: Host, world: () => FaultWorld): void {
  const { name, wrong, range, long } = port;
  const honest = host[name];
  if (honest === undefined) throw new RangeError(`no port ${name}`);
  const faults: Partial<Record<PortColumn, (...args: never[]) => unknown>> = {
    rejects: () => Promise.reject(new Error("the words of the host")),
    "never answers": () => new Promise(() => undefined),
    "answers late": (...args) => delayed(world(), LATE_MS, () => honest(...args)),
    ...(isAwaited(port) && {
      "after close": (...args) => delayed(world(), AFTER_CLOSE_MS, () => honest(...args)),
    }),
    "wrong type": () => wrong,
    "out of range": () => range,
    [TOO_LONG]: () => long,
    twice: (...args) => {
      honest(...args);
      return honest(...args);
    },
  };
  host[name] =
    faults[column] ??
    (() => {
      throw new Error("the words of the host");
    });
}

/** Whether a caller waits for the answer, so that the engine can be closed meanwhile. */
const isAwaited = ({ sync, says }: Port): boolean => says === undefined && sync !== true;

const delayed = ({ clock }: FaultWorld, byMs: number, answer: () => unknown): Promise<unknown> =>
  new Promise((resolve) => clock.schedule(clock.monotonicMs() + byMs, () => resolve(answer())));

/** Cause of a cell that does not apply: the engine does not use the answer of the function. */
const NOTHING_REQUESTED = "the engine expects no answer";

/** Returns why a cell does not apply; undefined if the test runs it. */
function reasonOf({ name, sync, says, never }: Port, column: PortColumn): string | undefined {
  if (never?.[column] !== undefined) return never[column];
  if (says !== undefined && ["rejects", "never answers", "answers late"].includes(column))
    return NOTHING_REQUESTED;
  if (says !== undefined && column === "while opening")
    return "the engine does not listen yet; recovery looks up missed events";
  if (sync && (column === "never answers" || column === "answers late")) return "its answer is synchronous";
  if (name === "telemetry.event" && (column === "wrong type" || column === "out of range"))
    return NOTHING_REQUESTED;
  if (name === "rejections.retain" && (column === "wrong type" || column === "out of range"))
    return NOTHING_REQUESTED;
  return undefined;
}

/** Sends an event of the host, in a world where everything else works. */
function reported({ says, honest, wrong, range }: Port, column: PortColumn, world: FaultWorld): void {
  const good = honest?.(world);
  const bad = (range as (world: FaultWorld) => unknown)(world);
  const throwing = new Proxy(good as object, {
    get: () => {
      throw new Error("the words of the host");
    },
  });
  const answer: Partial<Record<PortColumn, unknown>> = {
    throws: throwing,
    "wrong type": wrong,
    "out of range": bad,
  };
  says?.(world, answer[column] ?? good);
  if (column === "twice") says?.(world, good);
}

async function observe(port: Port, column: PortColumn): Promise<string> {
  const reason = reasonOf(port, column);
  if (reason !== undefined) return `not applicable: ${reason}`;
  let world: FaultWorld | undefined;
  const inWorld = (): FaultWorld => world as FaultWorld;
  if (column === "while opening") {
    try {
      world = await openFaultWorld((host) => install(port, column, host, inWorld));
    } catch (error) {
      return `the engine does not open: ${String(error)}`;
    }
  } else world = await openFaultWorld();
  const before = port.says === undefined ? undefined : await port.act(world);
  await world.engine.idle();
  if (column !== "while opening" && port.says === undefined) install(port, column, world.host, inWorld);
  if (column === "after close" && !isAwaited(port)) await world.engine.close();
  world.reported.clear();
  let client: string | (() => string) = "no answer yet";
  let closing: Promise<unknown> = Promise.resolve();
  if (port.says !== undefined) reported(port, column, world);
  const requested = (before === undefined ? port.act(world) : Promise.resolve(before)).then(
    (answer) => (client = answer),
    (error: unknown) => (client = `throws ${String(error)}`),
  );
  if (column === "after close" && isAwaited(port)) {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    // Not awaited: the answer comes while the engine closes, or afterwards.
    closing = world.engine.close();
  }
  for (let passed = 0; passed < WATCH_MS; passed += 1_000) {
    await world.clock.advanceBy(1_000, async () => void (await world?.engine.idle()));
    world.engine.market.heartbeat("BTC/USD");
  }
  await Promise.race([requested, world.engine.idle()]);
  const operator = [...world.reported].sort().join(", ") || "nothing";
  await closing;
  const stored = await world.stored().catch(unread);
  const seen = client as string | (() => string);
  return `client: ${typeof seen === "string" ? seen : seen()}; operator: ${operator}; kept: ${stored}`;
}

/** Says why the orders of an account are not read. */
function unread(error: unknown): string {
  const { name, reason } = error as Error & { reason?: string };
  return `cannot be read: ${reason ?? name}`;
}

const found = new Map<Port, Map<PortColumn, string>>();

describe.each(PORTS)("the host's $name", (port) => {
  it.each(columnsOf(port))("%s", async (column) => {
    const cells = found.get(port) ?? new Map<PortColumn, string>();
    found.set(port, cells.set(column, await observe(port, column)));
    // Only the store can say what is durable, so there is no answer without it.
    if (port.name !== "store.append") expect(cells.get(column)).not.toContain("no answer yet");
    expect(cells.get(column)).not.toContain("the words of the host");
  });
});

const foundOfLeases = new Map<LeaseCall, readonly string[]>();

describe.each(LEASE_CALLS)("the store's $name", (call) => {
  it.each(COLUMNS)("%s", async (column) => {
    const cell = await observeLease(call, column);
    foundOfLeases.set(call, [...(foundOfLeases.get(call) ?? []), `| ${column} | ${inColumns(cell)} |`]);
    expect(cell).not.toContain("the words of the host");
    expect(cell).not.toContain("does not answer");
  });
});

const HEAD = `# Faults of a host

This page lists every function that a host supplies, and the effects of its failures. *Client* is the answer to the
caller, *operator* the telemetry events and alerts, *kept* the state of the account's orders 20 seconds later.
\`test/host-faults\` writes this page: it tries every fault in a world in memory. \`npm run docs:update test/host-faults\` rewrites the
page.

*Rejects* means that the function returns a rejected promise. *Answers late* means that it answers after 6 seconds,
which is later than its deadline. *Wrong type* and *out of range* mean that the host returns or sends a value of a wrong
type or out of range. *Too long* means that it returns a list of 10,001 entries. *Twice* means that the function runs
twice for one call, or that an event is sent twice. *After close* means that the host answers a call one second after
the engine began to close; events that the host sends on its own arrive once the engine is closed. *While opening* means
that the function throws while the engine opens, and afterwards.

While a clock returns no valid time, the last valid time is used. Fractions of a millisecond are rounded down.

The service reports the failure of a function as a failure of its own and never as a refusal of the order. The
metrics count dropped quotes and prints by cause. Only a store can tell which records are durable; until
the store answers, the outcome is unknown.

The last sections are about the calls of \`leases\`, in a cluster of two nodes with a ttl of 2 seconds. Node a owns the
shards. The owner's calls fail at node a, the others at node b, while node a dies. *Client* says
which node serves the account 30 seconds later.
`;

it("docs/host-faults.md contains the results, without an empty cell; `npm run docs:update test/host-faults` rewrites it", async () => {
  const sections = [...found].map(([port, cells]) => {
    const rows = columnsOf(port).map((column) => `| ${column} | ${inColumns(cells.get(column) ?? "")} |`);
    return section(port.name, rows);
  });
  for (const [{ name }, rows] of foundOfLeases) sections.push(section(name, rows));
  const page = HEAD + sections.join("");
  expect(page).not.toMatch(/\| +\|/);
  await expect(page).toMatchFileSnapshot("../../docs/host-faults.md");
});

const section = (name: string, rows: readonly string[]): string =>
  `\n## ${name}\n\n| fault | client | operator | kept |\n| --- | --- | --- | --- |\n${rows.map(padded).join("\n")}\n`;

const inColumns = (cell: string): string =>
  cell.replace(/; (operator|kept): /g, " | ").replace("client: ", "");

/** Pads the row of a cell that does not apply to all three columns. */
const padded = (row: string): string => (row.split(" | ").length < 4 ? `${row.slice(0, -2)} | - | - |` : row);
