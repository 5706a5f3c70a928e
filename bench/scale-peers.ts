import { join } from 'node:path'
import { Queue as BullQueue } from 'bullmq'
import { Logger, makeWorkerUtils } from 'graphile-worker'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { openQueue } from '../src/queue/open.ts'
import type { ScaleServers } from './scale-servers.ts'

type OpenQueue = typeof openQueue

export interface ScalePeer {
  name: string
  address: string
  /** Where the version of Mulligan is that this is; undefined for other engines and for the one here. */
  root?: string
  /** Makes the queue `name`, and gives what sends one batch. */
  open(
    name: string,
  ): Promise<{ send(batch: readonly { n: number }[]): Promise<unknown>; close(): Promise<void> }>
  drop(name: string): Promise<void>
}

export const silent = new Logger(() => () => {})

export async function dropSchemas(database: string, ...names: string[]): Promise<void> {
  const client = new pg.Client(database)
  await client.connect()
  for (const name of names) await client.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`)
  await client.end()
}

/** Mulligan: the version here, or the one at `root`. */
export function ours(postgres: string, folder: string, name: string, root?: string): ScalePeer {
  return {
    name,
    address: postgres,
    ...(root === undefined ? {} : { root }),
    open: async schema => {
      const open: OpenQueue =
        root === undefined ? openQueue : (await import(join(root, 'src/queue/open.ts'))).openQueue
      const queue = await open({ data: folder, database: `${postgres}?schema=${schema}` })
      return {
        send: batch =>
          queue.submitMany(batch.map(params => ({ capability: 'nothing', params, unchecked: true }))),
        close: () => queue.close(),
      }
    },
    drop: schema => dropSchemas(postgres, schema, `${schema}_jobs`),
  }
}

/** Raw pg-boss first: ours is compared with it. */
export function scalePeers({ postgres, redis }: ScaleServers, folder: string): readonly ScalePeer[] {
  const connection = { url: redis, maxRetriesPerRequest: null }
  return [
    {
      name: 'pg-boss',
      address: postgres,
      open: async name => {
        const boss = new PgBoss({
          connectionString: postgres,
          schema: name,
          supervise: false,
          schedule: false,
        })
        await boss.start()
        await boss.createQueue('nothing')
        return {
          send: batch =>
            boss.insert(
              'nothing',
              batch.map(data => ({ data })),
            ),
          close: () => boss.stop({ graceful: false }),
        }
      },
      drop: name => dropSchemas(postgres, name),
    },
    ours(postgres, folder, 'mulligan'),
    {
      name: 'graphile-worker',
      address: postgres,
      open: async name => {
        const utils = await makeWorkerUtils({ connectionString: postgres, schema: name, logger: silent })
        await utils.migrate()
        return {
          send: batch => utils.addJobs(batch.map(payload => ({ identifier: 'nothing', payload }))),
          close: async () => void (await utils.release()),
        }
      },
      drop: name => dropSchemas(postgres, name),
    },
    {
      name: 'bullmq',
      address: redis,
      open: async name => {
        const queue = new BullQueue(name, { connection })
        return {
          send: batch => queue.addBulk(batch.map(data => ({ name: 'nothing', data }))),
          close: () => queue.close(),
        }
      },
      drop: async name => {
        const queue = new BullQueue(name, { connection })
        await queue.obliterate({ force: true })
        await queue.close()
      },
    },
  ]
}
