export { defineWorker } from '../job/worker.ts'
export {
  outcomeOfActivity,
  type TemporalActivity,
  type TemporalErrors,
  temporalActivity,
  toApplicationFailure,
} from './activity.ts'
