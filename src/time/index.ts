export { realTime, sleep, type Time } from './time.ts'
