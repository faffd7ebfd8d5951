import { flagOption, functionOption, nameOption, type OptionCheck, optionsOf } from "../../common/index.ts";
import type { Rejection } from "../../model/index.ts";
import type { Awaitable, RejectionQuery, Rejections } from "../../ports/index.ts";
import { rejectionsOption } from "../../ports/internal.ts";
import type { AtEnd, Rule, RuleGroup } from "../suite/index.ts";

/** A store of rejections as one process has it. */
export interface RejectionsHandle {
  readonly rejections: Rejections;
  /** Resolves when no retained rejection waits to be written. */
  written(): Awaitable<void>;
  /** Ends the process: nothing is called after it. */
  close(): Awaitable<void>;
}

/** An empty place for rejections, such as a new table. It keeps at least 16 rejections of each account. */
export interface RejectionsPlace {
  /** Opens the place, as a process does when it starts. */
  open(): Awaitable<RejectionsHandle>;
  /** Removes the place. All its handles are closed. */
  remove(): Awaitable<void>;
}

/** The optional parts of a store of rejections, each declared as present or absent. */
export interface RejectionsSupport {
  /** Whether rejections that were written exist for the next handle. */
  readonly durable: boolean;
}

/** An adapter of the rejections port as its author describes it to the suite. */
export interface RejectionsSubject {
  /** The name of the adapter in the report. */
  readonly name: string;
  /** Its optional parts. What is declared as absent is tested to be absent. */
  readonly supports: RejectionsSupport;
  /** Creates an empty place. The suite calls it once per test, and removes the place at the end. */
  createPlace(): Awaitable<RejectionsPlace>;
}

/** Checks an adapter that is handed to the suite. */
export const rejectionsSubject: OptionCheck = /* @__PURE__ */ optionsOf<RejectionsSubject>({
  name: nameOption,
  supports: optionsOf<RejectionsSupport>({ durable: flagOption }),
  createPlace: functionOption("creates an empty place"),
});

/** The surroundings of one rule: a place and a handle on it. */
export type RejectionsWorld = Readonly<{
  rejections: Rejections;
  written: () => Promise<void>;
  /** Lists rejections of account 1, or of those that the query names. */
  list: (query?: Partial<RejectionQuery>) => Promise<readonly Rejection[]>;
  /** Closes the handle and opens another one. */
  reopen: () => Promise<Rejections>;
}>;

/** Creates a place and a handle on it. Throws a TypeError if the handle has no store of rejections. */
export async function createRejectionsWorld(
  subject: RejectionsSubject,
  atEnd: AtEnd,
): Promise<RejectionsWorld> {
  const place = await subject.createPlace();
  atEnd(() => place.remove());
  const handles = new Set<RejectionsHandle>();
  const close = async (opened: RejectionsHandle): Promise<void> => {
    if (handles.delete(opened)) await opened.close();
  };
  const open = async (): Promise<RejectionsHandle> => {
    const opened = await place.open();
    handles.add(opened);
    atEnd(() => close(opened));
    rejectionsOption(
      opened.rejections,
      `rejections of the handle that createPlace of ${subject.name} opened`,
    );
    return opened;
  };
  let handle = await open();
  const { rejections } = handle;
  return {
    rejections,
    written: async () => await handle.written(),
    list: async (query = {}) => await rejections.list({ accountId: 1, limit: 100, ...query }),
    async reopen() {
      await close(handle);
      handle = await open();
      return handle.rejections;
    },
  };
}

/** A rule of the rejections port. */
export type RejectionsRule = Rule<RejectionsWorld, RejectionsSupport>;
/** Rules of the rejections port about one subject. */
export type RejectionsRules = RuleGroup<RejectionsWorld, RejectionsSupport>;
