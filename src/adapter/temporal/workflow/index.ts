export { runTemporal, type TemporalWorkflow } from './run.ts'
