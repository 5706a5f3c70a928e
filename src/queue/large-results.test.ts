import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../test/cli/terminal.ts'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../test/ledger/postgres/schema.ts'
import { scriptedCapability } from '../testing/scripted.ts'
import { type OpenedQueue, openQueue } from './open.ts'

const large = { text: `${'x'.repeat(300_000)}\0\ud800` }
const readBack = { text: `${'x'.repeat(300_000)}\0\ud800` }

describe.skipIf(!hasPostgres)(hasPostgres ? 'a large result on PostgreSQL' : WITHOUT_POSTGRES, () => {
  const { url, empty } = hasPostgres ? testSchema() : ({} as ReturnType<typeof testSchema>)
  let folders: string[]
  let here: OpenedQueue
  let there: OpenedQueue

  beforeEach(async () => {
    folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'mulligan-host-')))
    const open = (data: string) =>
      openQueue({
        data,
        database: url,
        connections: 2,
        capabilities: [scriptedCapability({ name: 'work', rest: large }).capability],
      })
    here = await open(folders[0] as string)
    await empty()
    there = await open(folders[1] as string)
  })
  afterEach(async () => {
    await here.close()
    await there.close()
  })

  const ran = async () => {
    const { operationId } = await here.run('work', {})
    return operationId
  }
  const resultFiles = (host: 0 | 1) => {
    const folder = join(folders[host] as string, 'results')
    return existsSync(folder) ? readdirSync(folder) : []
  }
  /** A file as a version before left it: the row says where, and nothing is in the ledger. */
  const asFile = async (id: string) => {
    mkdirSync(join(folders[0] as string, 'results'), { mode: 0o700, recursive: true })
    writeFileSync(join(folders[0] as string, 'results', `${id}.1.json`), JSON.stringify(large), {
      mode: 0o600,
    })
    const cut = { bytes: 300_000, note: 'in a file', preview: '{"text":"xxx', file: `${id}.1.json` }
    const { database } = here.ledger as unknown as {
      database: {
        transaction(
          work: (sql: { run(text: string, values: unknown[]): Promise<number> }) => unknown,
        ): Promise<unknown>
      }
    }
    const number = Number(id.slice(3))
    await database.transaction(async sql => {
      await sql.run('DELETE FROM results WHERE operation = $1', [number])
      await sql.run('UPDATE operations SET result = $2 WHERE id = $1', [
        number,
        JSON.stringify({ $cut: cut }),
      ])
    })
  }

  it('is read whole by a host that did not run it, and leaves no file', async () => {
    const id = await ran()
    expect(await there.result(id)).toMatchObject({ state: 'succeeded', value: readBack })
    expect([...resultFiles(0), ...resultFiles(1)]).toEqual([])
    const { result } = (await there.ledger.get(id)) as { result?: unknown }
    expect(result).toMatchObject({ $cut: { run: 1, note: expect.stringContaining('is in the ledger') } })
    expect(JSON.stringify(result).length).toBeLessThan(10_000)
  })

  it('is deleted with its operation', async () => {
    const [kept, pruned, discarded] = [await ran(), await ran(), await ran()]
    expect(await there.ledger.results?.kept(discarded, 1)).toContain('xxx')
    await here.discard(discarded)
    expect(await there.ledger.results?.kept(discarded, 1)).toBeUndefined()
    await there.prune({ succeededAfterMs: 0, keepSucceeded: 1 })
    for (const id of [kept, pruned]) expect(await here.ledger.results?.kept(id, 1)).toBeUndefined()
  })

  it('that is a file of before stays readable there, and for all once it is taken in', async () => {
    const id = await ran()
    await asFile(id)
    expect(await here.result(id)).toMatchObject({ value: readBack })
    expect(await there.result(id)).toMatchObject({ value: { $cut: { note: 'in a file' } } })
    await there.prune()
    expect(resultFiles(0)).toEqual([`${id}.1.json`])
    await here.prune()
    expect(resultFiles(0)).toEqual([])
    expect(await there.result(id)).toMatchObject({ value: readBack })
    await here.prune()
    expect(await there.result(id)).toMatchObject({ value: readBack })
  })

  it('of a later run replaces that of an earlier one, and an operation that is gone keeps none', async () => {
    const id = await ran()
    const { results } = here.ledger
    await results?.keep(id, 2, '"second"')
    expect(await results?.kept(id, 1)).toBeUndefined()
    expect(await results?.kept(id, 2)).toBe('"second"')
    await expect(results?.keep('op_999999', 1, '"lost"')).rejects.toThrow()
  })

  it('moves into files with a ledger that moves into a folder', async () => {
    const id = await ran()
    const to = join(mkdtempSync(join(tmpdir(), 'mulligan-moved-')), 'data')
    await here.close()
    await there.close()
    const moved = await runCommand(['migrate', '--to', to, '--database', url])
    expect(moved).toMatchObject({ code: 0 })
    expect(readdirSync(join(to, 'results'))).toEqual([`${id}.1.json`])
    here = await openQueue({ data: to })
    expect(await here.result(id)).toMatchObject({ state: 'succeeded', value: readBack })
    await here.prune()
    expect(await here.result(id)).toMatchObject({ value: readBack })
  })
})
