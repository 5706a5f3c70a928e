export { LENGTH_EXAMPLES, LENGTH_PATTERN, lengthText, parseLength } from './length.ts'
export { realTime, sleep, type Time } from './time.ts'
