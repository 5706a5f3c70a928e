export { formatLength, LENGTH_EXAMPLES, parseLength } from './length.ts'
export { realTime, sleep, type Time } from './time.ts'
export { emitWarning } from './warning.ts'
