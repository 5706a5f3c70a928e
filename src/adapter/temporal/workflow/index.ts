export { runTemporal } from './run.ts'
