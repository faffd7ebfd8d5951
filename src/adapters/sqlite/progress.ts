/** Is told what is done of some work, and of all. */
export type Progress = (done: number, all: number) => void;
