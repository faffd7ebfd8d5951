export type {
  DurableRejections as SqliteRejections,
  RetentionOptions as SqliteRejectionOptions,
} from "../shared/index.ts";
