export { defineWorker } from '../job/worker.ts'
export { type InngestContext, type InngestErrors, runInngest, toInngestError } from './steps.ts'
