export { defineWorker } from '../job/worker.ts'
export {
  type InngestClient,
  type InngestContext,
  type InngestErrors,
  type InngestOptions,
  runInngest,
  toInngestError,
} from './steps.ts'
