/**
 * Views for operators. A value has the eight digits of its checksum before its JSON, whose members are those of the records of
 * the journal.
 */
export const VIEWS: readonly string[] = [];
