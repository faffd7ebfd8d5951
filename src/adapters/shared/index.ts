export { inTurns, nextTurn } from "./next-turn.ts";
