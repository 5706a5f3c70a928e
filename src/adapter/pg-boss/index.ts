export { defineWorker } from '../job/worker.ts'
export {
  type PgBossClient,
  type PgBossDatabase,
  type PgBossHandler,
  type PgBossJob,
  pgBossHandler,
} from './handler.ts'
