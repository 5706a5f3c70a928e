import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../test/ledger/postgres/schema.ts'
import { type OpenedQueue, openQueue } from './open.ts'

describe.skipIf(!hasPostgres)(hasPostgres ? 'a transaction of the caller' : WITHOUT_POSTGRES, () => {
  const { url, schema, empty } = hasPostgres ? testSchema() : ({} as ReturnType<typeof testSchema>)
  let folder: string
  let queue: OpenedQueue
  let client: pg.Client

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mulligan-within-'))
    queue = await openQueue({ data: folder, database: url })
    client = new pg.Client(url.replace(/\?.*/, ''))
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await queue.close()
    rmSync(folder, { recursive: true })
  })
  beforeEach(() => empty())

  const submit = (params: unknown, more: object = {}) =>
    queue.submit('work', params, { client, unchecked: true, ...more })

  it('includes a submission: stored by a commit, gone after a rollback', async () => {
    await client.query('BEGIN')
    await submit({ n: 1 })
    expect((await queue.ledger.counts()).total).toBe(0)
    await client.query('ROLLBACK')
    expect((await queue.ledger.counts()).total).toBe(0)
    await client.query('BEGIN')
    const { id } = await submit({ n: 2 }, { priority: 3 })
    await client.query('COMMIT')
    expect(await queue.ledger.get(id)).toMatchObject({ params: { n: 2 }, priority: 3, state: 'scheduled' })
    expect(await queue.ledger.check()).toEqual([])
  })

  it('does not hold up other submissions, and hides no event from later readers', async () => {
    await client.query('BEGIN')
    const { id: mine } = await submit({ n: 1 })
    const { id: other } = await queue.submit('work', { n: 2 }, { unchecked: true })
    expect(await queue.ledger.events()).toEqual([])
    await client.query('COMMIT')
    expect((await queue.ledger.events()).map(({ operation }) => operation)).toEqual([mine, other])
  })

  it('can submit in SQL: the same key is the same operation on both sides', async () => {
    const inSql = async (text: string) =>
      (await client.query(`SELECT ${schema}.submit(${text}) AS id`)).rows[0].id
    const id = await inSql(`'work', '{"a": 1, "b": [true, null]}', key => 'k', priority => 2`)
    expect(await queue.ledger.get(id)).toMatchObject({
      params: { a: 1, b: [true, null] },
      key: 'k',
      priority: 2,
    })
    expect(await inSql(`'work', '{"b": [true, null], "a": 1}', key => 'k'`)).toBe(id)
    const again = await queue.submit('work', { b: [true, null], a: 1 }, { key: 'k', unchecked: true })
    expect(again).toMatchObject({ id, created: false })
    const { id: ours } = await queue.submit('work', { x: 1 }, { key: 'ours', unchecked: true })
    expect(await inSql(`'work', '{"x": 1}', key => 'ours'`)).toBe(ours)
    await expect(inSql(`'work', '{"x": 2}', key => 'ours'`)).rejects.toThrow(/other parameters/)
    await expect(inSql(`'work', priority => 11`)).rejects.toThrow(/-10 to 10/)
    await expect(inSql(`''`)).rejects.toThrow(/capability/)
    expect(await queue.ledger.check()).toEqual([])
  })

  it('is refused if the ledger is a file', async () => {
    const inFile = await openQueue({ data: join(folder, 'file') })
    await expect(inFile.submit('work', {}, { client, unchecked: true })).rejects.toThrow(/\[queue\] database/)
    await inFile.close()
  })
})
