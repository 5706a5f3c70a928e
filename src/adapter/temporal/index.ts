export { defineWorker } from '../job/worker.ts'
export {
  outcomeOfActivity,
  type TemporalActivity,
  temporalActivity,
  toApplicationFailure,
} from './activity.ts'
