import { openPostgresCluster, type PostgresCluster } from "../adapters/postgres/index.ts";
import {
  type ClusterReport,
  type DrainOutcome,
  drainNode,
  type MoveOutcome,
  moveShards,
  type NodeReport,
  readCluster,
} from "../cluster/index.ts";
import { assignmentsIn } from "../cluster/internal.ts";
import { errorMessage, nearestName, pause } from "../common/index.ts";
import type { Clock } from "../ports/index.ts";
import { hasStayed, type Moved, moveStep, moveText, shardsNamed } from "./cluster-move.ts";
import { clean, drainStep, drainText, type NamedNode, nodesText, shardsText } from "./cluster-tables.ts";
import { SettingsError } from "./input.ts";
import { storeArgument } from "./setting.ts";
import type { CommandOutput } from "./store-commands.ts";

/** Exit code of a drain or move that a signal ended. */
export const INTERRUPTED = 130;

/** Pause between two readings of `--watch`, in milliseconds. */
const WATCH_MS = 2_000;

const SECOND_MS = 1_000;
const CLEAR_SCREEN = "\u001b[2J\u001b[H";

/** What a command on a cluster needs of its process. `signal` ends what waits. */
type ClusterSurroundings = Readonly<{
  output: CommandOutput;
  clock: Clock;
  signal: AbortSignal;
  isTerminal: boolean;
}>;

type Flags = Readonly<{ json: boolean; watch: boolean; all: boolean; limitMs: number | undefined }>;
type Call = Readonly<{ cluster: PostgresCluster; names: readonly string[]; flags: Flags }> &
  ClusterSurroundings;

/** A command: how it is used, which flags and how many names after the URL it takes, and what it does. */
type Command = Readonly<{
  usage: string;
  flags: readonly string[];
  names: number;
  run: (call: Call) => Promise<number>;
}>;

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ["nodes", { usage: "nodes URL [--json] [--watch]", flags: ["--json", "--watch"], names: 0, run: nodes }],
  [
    "shards",
    {
      usage: "shards URL [--all] [--json] [--watch]",
      flags: ["--all", "--json", "--watch"],
      names: 0,
      run: shards,
    },
  ],
  [
    "drain",
    {
      usage: "drain URL NODE [--limit SECONDS] [--json]",
      flags: ["--limit", "--json"],
      names: 1,
      run: drain,
    },
  ],
  [
    "move",
    {
      usage: "move URL SHARDS NODE [--limit SECONDS] [--json]",
      flags: ["--limit", "--json"],
      names: 2,
      run: move,
    },
  ],
]);

/** Returns a line about each command for `--help`. */
export function clusterHelp(): string {
  return [
    "managed-orders cluster nodes URL                nodes on a Postgres store; exit code 1 if a shard has no live owner",
    "managed-orders cluster shards URL               owners of the shards, in ranges",
    "    --all                each shard by itself",
    "managed-orders cluster drain URL NODE           asks a node, by name or number, to hand its shards over",
    "managed-orders cluster move URL SHARDS NODE     gives shards, such as 7 or 0-31,40, to a node that shares them",
    "    --limit SECONDS      how long it may take (60)",
    "    --json, --watch      one line of JSON; a new reading every two seconds",
    "",
  ].join("\n");
}

/** Runs a command on a cluster. Resolves to its exit code. Throws a SettingsError for arguments that it does not take. */
export async function clusterCommand(
  argv: readonly string[],
  surroundings: ClusterSurroundings,
): Promise<number> {
  const [name = "", ...given] = argv;
  const command = COMMANDS.get(name);
  if (command === undefined) {
    const usages = [...COMMANDS.values()].map(({ usage }) => `managed-orders cluster ${usage}`);
    throw new SettingsError(`usage: ${usages.join("; ")}`);
  }
  const { url, names, flags } = argumentsOf(command, given);
  const store = storeArgument(url);
  if (store.kind !== "postgres")
    throw new SettingsError(
      "a cluster is on a Postgres store: give its URL, such as postgres://user@host:5432/database",
    );
  const { output } = surroundings;
  output.progress("Asking the database ...");
  const cluster = await openPostgresCluster({
    url: store.url,
    ...(store.schema !== undefined && { schema: store.schema }),
  });
  try {
    return await command.run({ ...surroundings, cluster, names, flags });
  } finally {
    output.progress("");
    await cluster.close();
  }
}

function argumentsOf(
  command: Command,
  given: readonly string[],
): Readonly<{ url: string; names: readonly string[]; flags: Flags }> {
  const wrong = new SettingsError(`usage: managed-orders cluster ${command.usage}`);
  const [words, found] = [[] as string[], new Map<string, string>()];
  for (let place = 0; place < given.length; place++) {
    const word = given[place] ?? "";
    if (!word.startsWith("--")) words.push(word);
    else if (!command.flags.includes(word)) throw wrong;
    else if (word === "--limit") found.set(word, given[++place] ?? "");
    else found.set(word, "");
  }
  const [url, ...names] = words;
  if (url === undefined || names.length !== command.names) throw wrong;
  const limit = found.get("--limit");
  if (limit !== undefined && !/^[1-9][0-9]{0,5}$/.test(limit)) throw wrong;
  return {
    ...{ url, names },
    flags: {
      json: found.has("--json"),
      watch: found.has("--watch"),
      all: found.has("--all"),
      limitMs: limit === undefined ? undefined : Number.parseInt(limit, 10) * SECOND_MS,
    },
  };
}

async function nodes(call: Call): Promise<number> {
  return await shown(call, async () => {
    const report = await reportOf(call);
    const code = report.unserved > 0 ? 1 : 0;
    return { code, text: nodesText(report), json: { nodes: report.nodes, unserved: report.unserved } };
  });
}

async function shards(call: Call): Promise<number> {
  const { cluster, flags } = call;
  return await shown(call, async () => {
    const view = await cluster.leases.nodes();
    const contents = await cluster.contents();
    const names = new Map(view.nodes.map(({ incarnation, name }) => [incarnation, name]));
    const assigned = assignmentsIn(view);
    const named = (incarnation: number | undefined): NamedNode | undefined =>
      incarnation === undefined ? undefined : { incarnation, name: names.get(incarnation) ?? "" };
    const rows = view.shards.map(({ shard, epoch, incarnation }) => {
      const { sequence = 0, snapshot } = contents[shard] ?? {};
      const [owner, next] = [named(incarnation), named(assigned.get(shard))];
      return {
        ...{ shard, epoch, sequence },
        ...(owner !== undefined && { owner }),
        ...(next !== undefined && { next }),
        ...(snapshot !== undefined && { snapshot }),
      };
    });
    return { code: 0, text: shardsText(rows, flags.all), json: { shards: rows } };
  });
}

type Shown = Readonly<{ code: number; text: string; json: object }>;

/** Shows a reading, or with `--watch` one after the other until the signal; one that fails is told, and the next is read. */
async function shown(
  { flags, output, clock, signal, isTerminal }: Call,
  read: () => Promise<Shown>,
): Promise<number> {
  const print = ({ text, json }: Shown): void => {
    output.progress("");
    output.print(flags.json ? `${JSON.stringify(json)}\n` : text);
  };
  if (!flags.watch) {
    const once = await read();
    print(once);
    return once.code;
  }
  while (!signal.aborted) {
    const next = await read().catch((error: unknown): Shown => {
      const problem = errorMessage(error);
      return { code: 1, text: `${problem}\n`, json: { problem } };
    });
    if (signal.aborted) break;
    if (isTerminal && !flags.json) output.print(CLEAR_SCREEN);
    print(next);
    await pause(clock, WATCH_MS, signal);
  }
  return 0;
}

async function reportOf({ cluster, clock, signal, output }: Call): Promise<ClusterReport> {
  output.progress("Watching the beats of the nodes ...");
  return await readCluster({ leases: cluster.leases, clock, signal });
}

async function drain(call: Call): Promise<number> {
  const { cluster, clock, signal, flags, output, names } = call;
  const { leases } = cluster;
  const rows = (await readCluster({ leases, clock, watchMs: 0 })).nodes;
  const row = nodeNamed(rows, names[0] ?? "");
  output.progress(`Asking ${clean(row.name)} ...`);
  const report = reporter(call);
  const outcome = await drainNode({
    ...{ leases, clock, signal, incarnation: row.incarnation },
    ...(flags.limitMs !== undefined && { limitMs: flags.limitMs }),
    onProgress: (progress) => report(progress.step, drainStep(progress), progress.failing),
  });
  output.progress("");
  output.print(
    flags.json ? `${JSON.stringify({ ...outcome, node: nodeIn(row) })}\n` : drainText(outcome, row),
  );
  return codeOf(outcome);
}

async function move(call: Call): Promise<number> {
  const { cluster, clock, signal, flags, output, names } = call;
  const { leases } = cluster;
  const [word = "", name = ""] = names;
  const shards = shardsNamed(word);
  const row = nodeNamed((await readCluster({ leases, clock, watchMs: 0 })).nodes, name);
  output.progress(`Asking the owners of ${word} ...`);
  const report = reporter(call);
  const outcome = await moveShards({
    ...{ leases, clock, signal, shards, incarnation: row.incarnation },
    ...(flags.limitMs !== undefined && { limitMs: flags.limitMs }),
    onProgress: (progress) =>
      report(`${progress.left} ${progress.released}`, moveStep(progress), progress.failing),
  });
  output.progress("");
  const moved = { shards, row };
  const stays = outcome.kind === "moved" && (await staysMoved(call, moved));
  const json = { ...outcome, ...(outcome.kind === "moved" && { stays }), shards, node: nodeIn(row) };
  output.print(flags.json ? `${JSON.stringify(json)}\n` : moveText(outcome, moved, stays));
  return moveCode(outcome);
}

/** A move that has succeeded is told as one, also if the store cannot be read any more. */
async function staysMoved({ cluster }: Call, moved: Moved): Promise<boolean> {
  try {
    return hasStayed(await cluster.leases.nodes(), moved);
  } catch {
    return true;
  }
}

function moveCode({ kind }: MoveOutcome): number {
  if (kind === "moved") return 0;
  return kind === "aborted" ? INTERRUPTED : 1;
}

/** Returns a function that shows each line of progress, and says those of a new step and the first of several failures. */
function reporter({ output, flags }: Call): (step: string, line: string, failing?: string) => void {
  let [reported, failed] = ["", ""];
  return (step, line, failing = "") => {
    output.progress(line);
    if (flags.json) return;
    if (step !== reported) output.print(`${line}\n`);
    if (failing !== "" && failed === "") output.print(`${failing}\n`);
    [reported, failed] = [step, failing];
  };
}

const nodeIn = ({ incarnation, name }: NodeReport): object => ({ incarnation, name });

function codeOf({ kind }: DrainOutcome): number {
  if (kind === "drained" || kind === "nothing-owned") return 0;
  return kind === "stopped" ? INTERRUPTED : 1;
}

/** Most nodes that a message names. */
const MOST_NAMED = 10;

/**
 * Returns the node that a word names: a name that one node has which is not dead, or the number of a start. Throws a
 * SettingsError that says which nodes there are.
 */
export function nodeNamed(nodes: readonly NodeReport[], word: string): NodeReport {
  const live = nodes.filter(({ life }) => life !== "dead");
  const named = live.filter(({ name }) => name === word);
  const [only] = named;
  if (only !== undefined && named.length === 1) return only;
  if (named.length > 1)
    throw new SettingsError(
      `several nodes are called ${clean(word)}: give the number of one of them: ${listOf(named)}`,
    );
  const numbered = nodes.find(({ incarnation }) => String(incarnation) === word);
  if (numbered !== undefined) return numbered;
  if (live.length === 0)
    throw new SettingsError(`there is no node ${clean(word)}: the store has no live nodes`);
  const near = nearestName(
    word,
    live.map(({ name }) => name),
  );
  const hint = near === undefined ? "" : ` Did you mean ${clean(near)}?`;
  throw new SettingsError(`there is no node ${clean(word)}.${hint} There are: ${listOf(live)}`);
}

function listOf(nodes: readonly NodeReport[]): string {
  const shown = nodes.slice(0, MOST_NAMED).map(({ name, incarnation }) => `${clean(name)} (${incarnation})`);
  const more = nodes.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
