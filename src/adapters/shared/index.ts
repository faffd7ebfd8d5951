export { limited } from "./limited.ts";
export { inTurns, nextTurn } from "./next-turn.ts";
export { textsOf } from "./record-texts.ts";
