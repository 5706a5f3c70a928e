import pg from 'pg'
import { expect, onTestFinished } from 'vitest'
import type { SqlClient } from '../../../src/ledger/ledger.ts'

/** A transaction that blocks others for as long as a test wants. */
export interface TestLock {
  /** Waits until this many connections wait for it, or `orDone` settles: a connection that does not wait cannot be counted. */
  waitedForBy(count: number, orDone?: Promise<unknown>): Promise<void>
  /** Commits the transaction, so that the others continue. */
  release(): Promise<void>
}

/** Begins a transaction in this schema with a statement that locks something. */
export async function holdLock(url: string, schema: string, statement: string): Promise<TestLock> {
  const client = new pg.Client(url.replace(/\?.*/, ''))
  await client.connect()
  let isOver = false
  const end = async (how: string) => {
    if (isOver) return
    isOver = true
    await client.query(how)
    await client.end()
  }
  onTestFinished(() => end('ROLLBACK'))
  await client.query(`BEGIN; SET LOCAL search_path TO ${schema}`)
  await client.query(statement)
  return {
    waitedForBy: (count, orDone) => waitedFor(client, 'pg_backend_pid()', count, orDone),
    release: () => end('COMMIT'),
  }
}

/** Waits until this many connections wait for the transaction of that backend, or `orDone` settles. */
export async function waitedFor(
  client: SqlClient,
  pid: number | string,
  count: number,
  orDone?: Promise<unknown>,
): Promise<void> {
  let isDone = false
  const settle = () => {
    isDone = true
  }
  orDone?.then(settle, settle)
  // The second connection that waits for a row waits for the first. Not by pg_stat_activity, which does not change within a
  // transaction.
  const text = `WITH RECURSIVE behind AS (SELECT ${pid} AS pid UNION SELECT l.pid FROM behind b, pg_locks l
    WHERE NOT l.granted AND b.pid = ANY(pg_blocking_pids(l.pid))) SELECT count(*)::int - 1 AS n FROM behind`
  const waiting = async () => ((await client.query({ text })).rows[0] as { n: number }).n
  await expect.poll(async () => isDone || (await waiting()) >= count).toBe(true)
}
