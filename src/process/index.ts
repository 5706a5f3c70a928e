export { isGroupAlive, KILL_GRACE_DEFAULT_MS, signalGroup } from './kill-tree.ts'
export { BoundedOutput, HEAD_BYTES_DEFAULT, TAIL_BYTES_DEFAULT } from './output.ts'
export { type RunOptions, type RunResult, run } from './run.ts'
export { WordsError, wordsOf } from './words.ts'
