/**
 * One place of a source that a bug changes; the text before must occur at least once, the first occurrence is changed.
 */
export type Edit = Readonly<{ file: string; before: string; after: string }>;

/**
 * A plausible bug: its name, its changes to the sources, and the world that must find it if it is not the usual one, or
 * for what no world has, the file of tests of which one must fail.
 */
export type Bug = Readonly<{ name: string; edits: readonly Edit[]; world?: "cluster"; test?: string }>;

const DEADLINE_IN_ENGINE_TIME: Bug["edits"] = [
  {
    file: "src/engine/children/venue-queue.ts",
    before: "const startMs = this.#clock.nowMs() +",
    after: "const startMs = this.#core.nowMs() +",
  },
  {
    file: "src/engine/children/dispatcher.ts",
    before: "    const venueMs = venueClock.nowMs();\n",
    after: "    const venueMs = this.#core.nowMs();\n",
  },
];

/** The bugs that the seeded world must find. */
export const BUGS: readonly Bug[] = [
  {
    name: "intent not durable before submit",
    edits: [
      {
        file: "src/engine/commit/committer.ts",
        before: `      const outcomes = await this.#appendInTime(batch, resume);
      if (!this.#isSilent) this.#parts.board.storeWorked();
      refused = await this.#settle(batch, outcomes);`,
        after: `      refused = await this.#settle(batch, parts.map(() => "durable" as const));
      await this.#appendInTime(batch, resume);
      if (!this.#isSilent) this.#parts.board.storeWorked();`,
      },
    ],
  },
  {
    name: "a reduce-only order that finds nothing waits for the next position",
    edits: [
      {
        file: "src/engine/eligibility/exposure-tracker.ts",
        before: "else if (requestedAtMs - sinceMs >= this.#confirmMs) this.#end(order);",
        after: "else if (requestedAtMs < sinceMs) this.#end(order);",
      },
    ],
  },
  {
    name: "executions known by their parent and id alone",
    edits: [
      {
        file: "src/model/child-order.ts",
        before: "const keyOf = (childId: string, executionId: string): string =>",
        after: `const keyOf = (_childId: string, executionId: string): string => "1 " + executionId;
export const keyOfBoth = (childId: string, executionId: string): string =>`,
      },
    ],
  },
  {
    name: "a POV order that follows its own fills under ids of the tape",
    edits: [
      {
        file: "src/engine/eligibility/pov-participants.ts",
        before: 'if (this.#ownFills === "other-id" && live.others === undefined) knowOthers',
        after: 'if (this.#ownFills === "other-id" && this.#core === undefined) knowOthers',
      },
    ],
  },
  {
    name: "orders act on arrival only",
    edits: [
      {
        file: "src/engine/market/market-hub.ts",
        before:
          "    else if (quote !== market.shown || !market.book.isUnmet) this.#show(market, quote, false);\n",
        after: "",
      },
      {
        file: "src/engine/market/market-hub.ts",
        before: "    const quote = market && this.#standing(market);\n    if (market === undefined || quote",
        after: "    const quote: Quote | undefined = undefined;\n    if (market === undefined || quote",
      },
    ],
  },
  {
    name: "a child that was closed early not looked up",
    edits: [
      {
        file: "src/engine/core/live-order.ts",
        before: "return child !== undefined && child.childId !== lookedUp;",
        after: 'return child?.childId === "" && child.childId !== lookedUp;',
      },
    ],
  },
  {
    name: "release on partial fill",
    edits: [
      {
        file: "src/lifecycle/order-list.ts",
        before: "executedQuantity >= intent.quantity;",
        after: "executedQuantity > 0 && intent.quantity > 0;",
      },
    ],
  },
  {
    name: "child with an unknown outcome sent again",
    edits: [
      {
        file: "src/engine/children/child-reports.ts",
        before: `{ kind: "OUTCOME_UNKNOWN", childId: child.childId },
      { kind: "TIMER", timer: "DEADLINE" }`,
        after: `{ kind: "CHILD_VOIDED", childId: child.childId },
      { kind: "TIMER", timer: "DEADLINE" }`,
      },
    ],
  },
  {
    name: "trailing reference seeded anew after restart",
    edits: [
      {
        file: "src/triggers/side-book.ts",
        before: "this.#marks.restore(shardOfId(entry.orderId), watch.activation)",
        after: "watch.activation.seed",
      },
    ],
  },
  {
    name: "check of client ids misses orders that are not yet durable",
    edits: [
      {
        file: "src/engine/commands/placement.ts",
        before: "if (live?.pending !== undefined) return",
        after: "if (live?.pending !== undefined && live.durable !== undefined) return",
      },
    ],
  },
  {
    name: "venue subscribed before shards are loaded",
    edits: [
      {
        file: "src/engine/running-engine.ts",
        before: `    this.market.begin();
    children.listen(venue);
`,
        after: `    this.market.begin();
`,
      },
      {
        file: "src/engine/running-engine.ts",
        before: "    for (const shard of shards.all) await load(shard);\n",
        after: "    children.listen(venue);\n    for (const shard of shards.all) await load(shard);\n",
      },
      {
        file: "src/engine/shards/shard-state.ts",
        before: `    if (this.#state === "running" && !this.#draining) {
      if`,
        after: `    if ((this.#state === "running" || this.#state === "loading") && !this.#draining) {
      if`,
      },
    ],
  },
  {
    name: "unreadable fill treated as no fill",
    edits: [
      {
        file: "src/host-answers/venue.ts",
        before: "takeFills(answer, { fills, attempt: (read) => read() })",
        after: "takeFills(answer, { fills, attempt: (read) => harmless(read, () => undefined) })",
      },
    ],
  },
  {
    name: "expiry that ignores a fill of the child in flight",
    edits: [
      {
        file: "src/lifecycle/transition.ts",
        before: `  if (order.child === undefined) return addFact(draft, { kind: "ENDED", ...end });
`,
        after: `  if (order.child !== undefined && end.status === "EXPIRED")
    addFact(draft, { kind: "CHILD_CLOSED", childId: order.child.childId, outcome: "DONE" });
  if (draft.order.child === undefined) return addFact(draft, { kind: "ENDED", ...end });
`,
      },
    ],
  },
  {
    name: "a deadline in engine time",
    edits: DEADLINE_IN_ENGINE_TIME,
  },
  {
    name: "one reading of the wall clock confirmed by itself",
    edits: [
      {
        file: "src/engine/core/engine-time.ts",
        before: "export const CONFIRM_MS = 10_000;",
        after: "export const CONFIRM_MS = 0;",
      },
    ],
  },
  {
    name: "not found before the deadline counts",
    edits: [
      {
        file: "src/engine/children/reconciler.ts",
        before: "return shownMs > this.deadlineMs && ",
        after: 'return judge.clock === "venue" || ',
      },
    ],
  },
  {
    name: "marks not in the record's transaction",
    edits: [
      {
        file: "src/engine/commit/committer.ts",
        before: "      shards: parts.map(appendOf),\n      ...(prints",
        after: "      shards: parts.map((part) => appendOf({ ...part, marks: [] })),\n      ...(prints",
      },
      {
        file: "src/engine/commit/committer.ts",
        before: `    this.#core.probe("after-append");\n`,
        after: `    if (parts.some(({ marks }) => marks.length > 0))
      await this.#core.store.append({ shards: parts.map((part) => appendOf({ ...part, pending: [] })) });
    this.#core.probe("after-append");\n`,
      },
    ],
  },
  {
    name: "a plan recomputed after restart",
    edits: [
      {
        file: "src/engine/shards/shard-memory.ts",
        before: "    const live = liveOrderOf(order, order);",
        after: `    const made =
      order.plan === undefined ? order : { ...order, plan: { ...order.plan, startsAtMs: order.updatedAtMs } };
    const live = liveOrderOf(made, made);`,
      },
    ],
  },
  {
    name: "records above the snapshot deleted",
    edits: [
      {
        file: "src/store/leaving.ts",
        before: "lastSequence < (before.get(shard) ?? 0)",
        after: "lastSequence < (before.get(shard) ?? 0) + 1_000",
      },
    ],
  },
  {
    name: "deletion without archiving",
    edits: [
      {
        file: "src/adapters/sqlite/journal-lifetime.ts",
        before: "const writer = folder === undefined ?",
        after: "const writer = folder === undefined || folder !== `` ?",
      },
    ],
  },
  {
    name: "verify replays records from after its beginning",
    edits: [
      {
        file: "src/engine/shards/replay.ts",
        before: "sequence <= range.until);",
        after: "sequence <= range.until + 1_000);",
      },
    ],
  },
  {
    name: "late fill of an ended leg of a list dropped",
    edits: [
      {
        file: "src/engine/children/child-reports.ts",
        before: "        const late = { orderId, shard, reading, source };\n",
        after: `        if (live?.working.list !== undefined) return;
        const late = { orderId, shard, reading, source };
`,
      },
    ],
  },
  {
    name: "a child sent on lapsed trust",
    world: "cluster",
    edits: [
      {
        file: "src/engine/children/dispatcher.ts",
        before: "!this.#waiting && this.#core.trust.holds)",
        after: "!this.#waiting)",
      },
      {
        file: "src/engine/shards/shard-state.ts",
        before: "if (this.#waiting.length === 0 && this.#options.trust.holds) return run();",
        after: "if (this.#waiting.length === 0) return run();",
      },
    ],
  },
  {
    name: "a claim before a whole ttl of watching",
    world: "cluster",
    edits: [
      {
        file: "src/cluster/node-watch.ts",
        before: "last.stillMs >= last.ttlMs ?",
        after: "last.stillMs >= last.ttlMs / 2 ?",
      },
    ],
  },
  {
    name: "a read answered on lapsed trust",
    world: "cluster",
    edits: [
      {
        file: "src/engine/core/open-calls.ts",
        before: "    } finally {\n      this.#trust.requireHeld();\n    }",
        after: "    } finally {\n    }",
      },
    ],
  },
  {
    name: "a deadline in engine time, in a cluster",
    world: "cluster",
    edits: DEADLINE_IN_ENGINE_TIME,
  },
  {
    name: "a mark without its epoch",
    world: "cluster",
    edits: [
      {
        file: "src/store/store.ts",
        before: "  const written = await rows.commit(plans);",
        after: `  for (const { marks = [] } of shards)
    await rows.write({ reads: [], change: () => ({ puts: markEntries(marks) }) });
  const written = await rows.commit(plans);`,
      },
    ],
  },
  {
    name: "a shard released while it is being left",
    world: "cluster",
    edits: [
      {
        file: "src/cluster/owned-shards.ts",
        before: "await moves.leave(",
        after: "void moves.leave(",
      },
    ],
  },
  {
    name: "a shard released before its last append",
    world: "cluster",
    edits: [
      {
        file: "src/cluster/shard-moves.ts",
        before: "    while (!shard.isSettled && isAlive(shard)) await this.#look();\n",
        after: "",
      },
      {
        file: "src/cluster/shard-moves.ts",
        before: "while ((rearming.isBusy(shard) || !shard.isSettled) && isAlive(shard))",
        after: "while (rearming.isBusy(shard) && isAlive(shard))",
      },
      {
        file: "src/engine/shards/shard.ts",
        before: `    invariant(this.isSettled, "I65", "a shard departs with records that are not durable");\n`,
        after: "",
      },
    ],
  },
  {
    name: "a shard released before its children are answered",
    world: "cluster",
    edits: [
      {
        file: "src/cluster/shard-moves.ts",
        before: "await dispatcher.hold(only);",
        after: "void dispatcher.hold(only);",
      },
    ],
  },
  {
    name: "a shard released with children that wait",
    world: "cluster",
    edits: [
      {
        file: "src/cluster/shard-moves.ts",
        before: "      dispatcher.withdraw(only);\n",
        after: "",
      },
    ],
  },
  {
    name: "a shard released before its newest marks",
    // A cluster seldom has a reference that moves in these few milliseconds, or a shard that comes back.
    test: "test/engine/sharing-references.long.test.ts",
    edits: [
      {
        file: "src/cluster/shard-moves.ts",
        before: "      await this.#persistMarks(shard);\n",
        after: "",
      },
    ],
  },
  {
    name: "a claimed shard without a read after its claim",
    world: "cluster",
    edits: [
      {
        file: "src/cluster/owned-shards.ts",
        before: ", journal.catchUp(new Set(numbers))]",
        after: "]",
      },
    ],
  },
  {
    name: "a claimed shard without its marks",
    world: "cluster",
    edits: [
      {
        file: "src/cluster/owned-shards.ts",
        before: "store.readMarks(numbers),",
        after: "store.readMarks(numbers).then((all) => all.slice(0, 0)),",
      },
    ],
  },
  {
    name: "untaken marks of an earlier stay of a shard appended",
    // A cluster seldom has a reference that moves in these few milliseconds, or a shard that comes back.
    test: "test/engine/sharing-references.long.test.ts",
    edits: [
      {
        file: "src/engine/market/market-hub.ts",
        before: "    for (const { book } of this.#markets.values()) book.pruneShard(shard);\n",
        after: "",
      },
      {
        file: "src/cluster/shard-moves.ts",
        before: "      committer.dropMarks(number);\n",
        after: "",
      },
    ],
  },
  {
    name: "a node that goes on although it was declared dead",
    world: "cluster",
    edits: [
      {
        file: "src/cluster/lease.ts",
        before: "      if (!renewal.alive) return this.#lose();\n",
        after: "",
      },
      {
        file: "src/cluster/share-loop.ts",
        before: "    this.#fence(reading);\n",
        after: "",
      },
    ],
  },
  {
    name: "every node writes the market journal",
    world: "cluster",
    edits: [
      {
        file: "src/cluster/node.ts",
        before: "  engine.market.stopWriting();\n",
        after: "",
      },
      {
        file: "src/store/market.ts",
        before: "if (epoch === 0 || epoch !== this.#owned.epochOf(MARKET_SHARD)) return undefined;",
        after: "",
      },
    ],
  },
  {
    name: "a stored print counted again",
    world: "cluster",
    edits: [
      {
        file: "src/engine/market/volume-tape.ts",
        before: "    if (tape.ids.mayHave(stored)) return undefined;\n",
        after: "",
      },
    ],
  },
  {
    name: "a stored print counted beside the one that waits",
    world: "cluster",
    edits: [
      {
        file: "src/engine/market/volume-tape.ts",
        before: `      this.#settle(pending, stored);
      return undefined;`,
        after: `      tape.adopt(stored);
      return undefined;`,
      },
    ],
  },
  {
    name: "a print that comes twice counted again by a node that does not write",
    world: "cluster",
    edits: [
      {
        file: "src/engine/market/volume-tape.ts",
        before: "    if (tape.ids.has(id)) {",
        after: "    if (tape.ids.has(id) && this.#pending.writes) {",
      },
    ],
  },
  {
    name: "an event of a shard in motion dropped",
    // The moment between two owners is short, and only a fill of a closed child is not looked up.
    test: "test/engine/sharing-children.long.test.ts",
    edits: [
      {
        file: "src/cluster/heard.ts",
        before: `    if (this.#passing?.accepts(childId ?? "") === true) return this.#passing.listener(event);
`,
        after: `    if (this.#passing !== undefined)
      return this.#passing.accepts(childId ?? "") ? this.#passing.listener(event) : undefined;
`,
      },
    ],
  },
  {
    name: "a repeated print of a trade log that sets its total back",
    // The trades of the seeded world have no log.
    test: "test/engine/logged-volume.test.ts",
    edits: [
      {
        file: "src/engine/market/symbol-tape.ts",
        before: "return sequence > this.#last.sequence && total >= add(this.#last.total, quantity);",
        after: "return total >= quantity;",
      },
    ],
  },
];
