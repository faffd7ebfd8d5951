import type { ApiState, ListStatusView, OrderStatus } from "../lifecycle/index.ts";
import type {
  AlertKind,
  ChildTimeInForce,
  Contingency,
  EndReason,
  ExecutionReason,
  NativeExecution,
  NativeStatus,
  ParentType,
  RejectReason,
  Side,
  StallCause,
  TimeInForce,
} from "../model/index.ts";

/** A 64-bit whole number as text, such as `"-256"`: ids are never numbers, which would round them. */
export type WholeText = string;

/** A level of an order book: price, then quantity. */
export type LevelReply = readonly [price: string, quantity: string];

/** A filter that orders must pass. Its other members depend on `filterType`. */
export interface FilterReply {
  readonly filterType: string;
  readonly [member: string]: string | number | boolean;
}

/** An empty object. */
export interface EmptyReply {
  readonly [member: string]: unknown;
}

/** Kinds of members that are one of a few words. */
export interface Words {
  readonly AlertKind: AlertKind;
  readonly ApiState: ApiState;
  readonly ChildTimeInForce: ChildTimeInForce;
  readonly Contingency: Contingency;
  readonly EndReason: EndReason;
  readonly ExecutionReason: ExecutionReason;
  readonly ExecutionType: NativeExecution["execType"];
  readonly ListOrderStatus: ListStatusView["listOrderStatus"];
  readonly ListStatusType: ListStatusView["listStatusType"];
  readonly NativeStatus: NativeStatus;
  readonly OrderStatus: OrderStatus;
  readonly ParentType: ParentType;
  readonly RejectReason: RejectReason;
  readonly Side: Side;
  readonly StallCause: StallCause;
  readonly SystemState: "normal" | "degraded" | "draining";
  readonly TimeInForce: TimeInForce;
  readonly UpdateType: NativeExecution["execType"] | "TRIGGERED" | "ALERT";
}

/** Kinds of members that the service writes as a client reads them. `A` is the form of prices and quantities. */
interface Plain<A> extends Words {
  readonly text: string;
  /** A decimal that is neither a price nor a quantity. */
  readonly decimal: string;
  readonly signed: string;
  readonly price: A;
  readonly quantity: A;
  readonly integer: number;
  /** A whole number of at most 53 bits. */
  readonly long: number;
  /** Epoch milliseconds. */
  readonly time: number;
  readonly flag: boolean;
  readonly yes: true;
  readonly level: LevelReply;
  readonly filter: FilterReply;
  readonly members: EmptyReply;
}

/** What a client reads for each kind. */
interface ReadKinds extends Plain<string> {
  readonly id: WholeText;
  readonly idText: WholeText;
  readonly nativeId: WholeText;
  readonly whole: WholeText;
}

/** What the service writes for each kind. */
interface WrittenKinds<A> extends Plain<A> {
  /** Id of at most 53 bits. */
  readonly id: number;
  /** Such an id as text. */
  readonly idText: string;
  /** Id of 64 bits. */
  readonly nativeId: bigint;
  /** A whole number of at most 64 bits. */
  readonly whole: number | bigint;
}

/** Name of a kind. */
export type KindName = keyof ReadKinds;

/**
 * The kind of a member. A list has `[]` behind the kind of its items, a member that may be null `|null`, and one that
 * may be absent `?` at the end. A word behind `=` is the only value. An object has a table of its own, and a list of
 * objects has it in brackets.
 */
export type Kind =
  | KindName
  | `${KindName}?`
  | `${KindName}[]`
  | `${KindName}[]?`
  | `${KindName}|null`
  | `=${string}`
  | Table
  | readonly [Table];

/**
 * The members of a reply or event with the kind of each. The types of both sides, the writers of the service, its
 * descriptions and the readers of the client follow from it.
 */
export interface Table {
  readonly [member: string]: Kind;
}

type ValueOf<K, V> = K extends `${infer Same}?`
  ? ValueOf<Same, V> | undefined
  : K extends `${infer Item}[]`
    ? readonly ValueOf<Item, V>[]
    : K extends `${infer Same}|null`
      ? ValueOf<Same, V> | null
      : K extends `=${infer Word}`
        ? Word
        : K extends keyof V
          ? V[K]
          : K extends readonly [infer Item]
            ? readonly ObjectOf<Item, V>[]
            : ObjectOf<K, V>;

type Demanded<T> = { [N in keyof T]: T[N] extends `${string}?` ? never : N }[keyof T];
type Optional<T> = { [N in keyof T]: T[N] extends `${string}?` ? N : never }[keyof T];
type Present<T, N extends keyof T, V> = { readonly [M in N]: ValueOf<T[M], V> };
type MayLack<T, N extends keyof T, V> = { readonly [M in N]?: ValueOf<T[M], V> };
type ObjectOf<T, V> = Present<T, Demanded<T>, V> & MayLack<T, Optional<T>, V>;

/** Names of the members of a kind, whether they may be absent or not. */
export type MembersOfKind<T extends Table, K extends string> = {
  [N in keyof T]: T[N] extends K | `${K}?` ? N : never;
}[keyof T];

/** What a client reads. */
export type ReadOf<T extends Table> = ObjectOf<T, ReadKinds>;

/** What the service writes. `A` is the form of prices and quantities: decimal strings, or whole numbers. */
export type WrittenOf<T extends Table, A = string> = ObjectOf<T, WrittenKinds<A>>;

/** What the service writes, with every member: one that is absent is undefined, so that none is forgotten. */
export type CompleteOf<T extends Table, A = string> = Present<T, keyof T, WrittenKinds<A>>;
