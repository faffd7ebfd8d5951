export { programOption, programUrl, type ThreadProgram } from "./thread-program.ts";
