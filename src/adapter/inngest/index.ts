export { defineWorker } from '../job/worker.ts'
export { type InngestContext, runInngest, toInngestError } from './steps.ts'
