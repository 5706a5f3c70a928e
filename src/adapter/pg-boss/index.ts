export { defineWorker } from '../job/worker.ts'
export {
  type PgBossClient,
  type PgBossDatabase,
  type PgBossHandler,
  type PgBossJob,
  type PgBossOptions,
  type PgBossStored,
  pgBossHandler,
} from './handler.ts'
