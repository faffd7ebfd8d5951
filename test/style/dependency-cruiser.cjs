/**
 * The ordered folders of src/ as rules: a folder imports only from the folders before it in {@link core}, only sandbox/
 * and cluster/ import leaves, and every package and Node built-in has the folders that may use it listed here. A new folder or
 * package is refused until it is in these tables.
 */

/** Each folder may import the ones before it. */
const core = [
  "common",
  "errors",
  "decimal",
  "model",
  "wire",
  "signing",
  "requests",
  "triggers",
  "schedules",
  "lifecycle",
  "replies",
  "ports",
  "host-answers",
  "engine",
  "service",
];
const upTo = (folder) => core.slice(0, core.indexOf(folder) + 1);
const adapterBase = ["common", "errors", "decimal", "model", "wire", "ports"];

/** The other folders that each folder may import. */
const allowed = {
  ...Object.fromEntries(core.map((folder, index) => [folder, core.slice(0, index)])),
  // The link between nodes listens as a server of adapters/node/ does.
  cluster: [...core, "adapters/node", "adapters/shared"],
  rules: upTo("lifecycle"),
  client: upTo("replies"),
  "paper-exchange": [...adapterBase, "lifecycle"],
  simulator: [...core, "paper-exchange", "store", "adapters/memory", "adapters/shared"],
  conformance: core,
  // A telemetry of the host cannot stop what writes in a later turn.
  "adapters/shared": [...adapterBase, "host-answers"],
  store: [...adapterBase, "lifecycle", "adapters/shared"],
  "adapters/checksums": ["errors", "ports"],
  "adapters/threads": ["common"],
  "adapters/memory": [...adapterBase, "store", "adapters/shared"],
  // A restore folds records as an opening does.
  "adapters/sqlite": [
    ...adapterBase,
    ...["store", "lifecycle", "adapters/shared", "adapters/checksums", "adapters/threads"],
  ],
  "adapters/postgres": [
    ...adapterBase,
    ...["store", "host-answers", "adapters/shared", "adapters/checksums"],
  ],
  "adapters/lmdb": ["common", "ports"],
  "adapters/venue-http": [...adapterBase, "signing", "host-answers", "adapters/memory", "adapters/shared"],
  "adapters/node": [...adapterBase, "signing", "service", "adapters/shared", "adapters/threads"],
  sandbox: [...core, "cluster", "store", "client", "paper-exchange", "conformance", "adapters/[^/]+"],
  "index.ts": upTo("lifecycle"),
};

/**
 * Subfolders of a large folder: each may import the ones before it, so that there are no cycles between them. The files
 * that put the folder together are above them; no subfolder imports those.
 */
const rooms = {
  engine: {
    order: [
      "core",
      "time",
      "shards",
      "market",
      "eligibility",
      "reads",
      "children",
      "status",
      "commands",
      "commit",
    ],
    above: [
      "index.ts",
      "internal.ts",
      "engine.ts",
      "running-engine.ts",
      "opening.ts",
      "parts.ts",
      "interpreter.ts",
      "closing.ts",
      "metrics.ts",
      "rest.ts",
    ],
  },
  simulator: {
    order: ["market", "statistics.ts", "strategy", "chart.ts", "result.ts", "report", "run", "sweep"],
    above: ["index.ts"],
  },
  conformance: {
    order: [
      ...["checks.ts", "suite.ts", "storage", "rejections.ts", "rate-limiter"],
      ...["execution-venue", "native-orders", "quote-source", "volume-history.ts", "mount"],
    ],
    above: ["index.ts"],
  },
  service: {
    order: ["access", "traffic", "views", "rest", "socket", "descriptions", "mount-probe"],
    above: ["index.ts", "internal.ts", "service.ts"],
  },
};

/** Files and folders that may import a package. */
const packages = {
  zod: ["requests/schemas/", "sandbox/", "paper-exchange/"],
  eventemitter3: ["engine/"],
  "decimal.js": ["decimal/", "simulator/statistics\\.ts$", "paper-exchange/execution-terms\\.ts$"],
  "@noble/hashes": ["signing/hmac-portable\\.ts$"],
  "better-sqlite3": ["adapters/sqlite/"],
  "lightweight-charts": ["sandbox/console/chart-view\\.ts$"],
  lmdb: ["adapters/lmdb/"],
  pg: ["adapters/postgres/"],
  ws: ["adapters/node/", "client/socket-node\\.ts$"],
};

/**
 * Files and folders that may import a Node built-in. The two files are reached by the package's "node" import condition
 * only, so that everything else above the leaves runs in a browser.
 */
const builtins = [
  "signing/hmac-node\\.ts$",
  "client/socket-node\\.ts$",
  "adapters/(?!memory/|shared/)",
  "cluster/peers/",
  "paper-exchange/append-log\\.ts$",
  "simulator/",
  "conformance/",
  "sandbox/",
];

const literal = (text) => text.replace(/[.+]/g, "\\$&");
const place = (folder) => (folder.endsWith(".ts") ? `src/${literal(folder)}$` : `src/${folder}/`);
const oneOf = (paths) => `^src/(${paths.join("|")})`;

const folderRules = Object.entries(allowed).map(([folder, imports]) => ({
  name: `order-${folder.replace("/", "-").replace(".ts", "")}`,
  comment: `${folder} may import ${imports.join(", ") || "nothing of the others"}`,
  severity: "error",
  from: { path: `^${place(folder)}` },
  to: { path: "^src/", pathNot: [folder, ...imports].map((name) => `^${place(name)}`) },
}));

const roomRules = Object.entries(rooms).flatMap(([folder, { order, above }]) => {
  const inFolder = (names) => names.map((name) => `^${place(`${folder}/${name}`)}`);
  return [
    ...order.map((name, index) => ({
      name: `rooms-${folder}-${name}`,
      comment: `${folder}/${name} may import ${order.slice(0, index).join(", ") || "nothing of the others"}`,
      severity: "error",
      from: { path: inFolder([name]) },
      to: { path: `^src/${folder}/`, pathNot: inFolder(order.slice(0, index + 1)) },
    })),
    {
      name: `known-rooms-${folder}`,
      comment: `every source of ${folder}/ is in a subfolder, or puts the subfolders together`,
      severity: "error",
      from: { path: `^src/${folder}/`, pathNot: inFolder([...order, ...above]) },
      to: {},
    },
  ];
});

const packageRules = Object.entries(packages).map(([name, users]) => ({
  name: `package-${name.replace(/\W+/g, "-").replace(/^-/, "")}`,
  comment: `${name} is used in ${users.join(", ")} only`,
  severity: "error",
  from: { path: "^src/", pathNot: oneOf(users) },
  to: { path: `(^|/)node_modules/(@types/)?${literal(name)}/` },
}));

module.exports = {
  forbidden: [
    ...folderRules,
    ...roomRules,
    ...packageRules,
    {
      name: "known-folders",
      comment: "every source is in a folder of the ordered list",
      severity: "error",
      from: {},
      to: { path: "^src/", pathNot: Object.keys(allowed).map((name) => `^${place(name)}`) },
    },
    {
      name: "known-folders-from",
      comment: "every source is in a folder of the ordered list",
      severity: "error",
      from: { path: "^src/", pathNot: Object.keys(allowed).map((name) => `^${place(name)}`) },
      to: {},
    },
    {
      name: "known-packages",
      comment: "every package has its users named in this file",
      severity: "error",
      from: { path: "^src/" },
      to: {
        dependencyTypes: [
          "npm",
          "npm-dev",
          "npm-optional",
          "npm-peer",
          "npm-bundled",
          "npm-no-pkg",
          "npm-unknown",
        ],
        pathNot: Object.keys(packages).map((name) => `(^|/)node_modules/(@types/)?${literal(name)}/`),
      },
    },
    {
      name: "builtins",
      comment: "a Node built-in only where a browser never comes",
      severity: "error",
      from: { path: "^src/", pathNot: oneOf(builtins) },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "hmac-by-condition",
      comment: "the two HMAC files are reached through #hmac only",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^src/signing/hmac-", dependencyTypesNot: ["aliased"] },
    },
    {
      name: "socket-by-condition",
      comment: "the two files that find a WebSocket are reached through #socket only",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^src/client/socket-(node|default)", dependencyTypesNot: ["aliased"] },
    },
    { name: "cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "sources-only",
      comment: "sources import nothing of tests, examples or the built package",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|examples|dist|docs)/" },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      conditionNames: ["import", "node", "default"],
      extensions: [".ts", ".js", ".json"],
    },
  },
};
