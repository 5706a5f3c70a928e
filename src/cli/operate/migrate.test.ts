import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/cli/terminal.ts'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../../test/ledger/postgres/schema.ts'
import { fill } from '../../../test/ledger/sqlite/ledger-folder.ts'
import { lockFolder } from '../../daemon/lock.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { openPostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import { openLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import { postgresSide } from '../../queue/migrate/postgres-side.ts'

describe.skipIf(!hasPostgres)(hasPostgres ? 'mulligan migrate' : WITHOUT_POSTGRES, () => {
  const { url, schema, empty } = hasPostgres ? testSchema() : ({} as ReturnType<typeof testSchema>)
  let cwd: string
  const mulligan = (...argv: string[]) => runCommand(argv, { cwd, now: Date.now })

  beforeEach(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'mulligan-migrate-'))
    const ledger = await openLedger({ file: join(cwd, 'data', 'ledger.db') })
    await fill(ledger, 20)
    await ledger.transaction(writes => {
      writes.insert(
        Array.from({ length: 700 }, (_, n) => ({ capability: 'many', params: { n, odd: 'a\u0000ü"' } })),
      )
      writes.addWorkflowRun({ workflow: 'w', plan: { a: 1 }, steps: 1, params: {}, by: 'ann' })
    })
    await ledger.close()
    await (await openPostgresLedger({ database: url })).close()
    await empty()
  })
  afterEach(() => rmSync(cwd, { recursive: true }))

  const operationsOf = async (opened: Promise<Ledger>) => {
    const ledger = await opened
    const { items } = await ledger.list({}, { limit: 1_000 })
    await ledger.close()
    return items
  }
  const inFile = (folder: string) => operationsOf(openLedger({ file: join(cwd, folder, 'ledger.db') }))
  const onServer = () => operationsOf(openPostgresLedger({ database: url }))

  it('moves everything to PostgreSQL and back, and both are equal', async () => {
    const before = await inFile('data')
    const there = await mulligan('migrate', '--data', 'data', '--to', url, '--json')
    expect(there.stderr).toBe('')
    expect(JSON.parse(there.stdout)).toMatchObject({ tables: { operations: before.length } })
    expect(await onServer()).toEqual(before)
    const back = await mulligan('migrate', '--database', url, '--to', 'back')
    expect(back).toMatchObject({ code: 0, stderr: '' })
    expect(await inFile('back')).toEqual(before)
    expect((await mulligan('ledger', 'check', '--data', 'back')).code).toBe(0)
    // What is new gets a number that nothing has.
    const ledger = await openPostgresLedger({ database: url })
    const [inserted] = await ledger.transaction(writes => writes.insert([{ capability: 'a', params: 1 }]))
    expect(before.map(({ id }) => id)).not.toContain(inserted?.id)
    await ledger.close()
  })

  it('moves a key with a NUL, which PostgreSQL cannot store', async () => {
    const source = await openLedger({ file: join(cwd, 'data', 'ledger.db') })
    await source.transaction(writes => writes.insert([{ capability: 'odd', params: 1, key: 'a\0b' }]))
    await source.close()
    expect(await mulligan('migrate', '--data', 'data', '--to', url)).toMatchObject({ code: 0, stderr: '' })
    const ledger = await openPostgresLedger({ database: url })
    expect(await ledger.find('odd', 'a\0b')).toMatchObject({ params: 1 })
    await ledger.close()
  })

  it('lets nobody use the source afterwards, nor write to it meanwhile', async () => {
    expect((await mulligan('migrate', '--data', 'data', '--to', url)).code).toBe(0)
    expect(await mulligan('queue', 'pause', '--data', 'data')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was moved to'),
    })
    const source = await postgresSide(url)
    try {
      await source.freeze()
      const hasty = await openPostgresLedger({ database: url })
      const written = hasty.transaction(writes => writes.insert([{ capability: 'a', params: 1 }]))
      const waiting = () =>
        source.ledger.read(sql =>
          sql.row(
            `SELECT 1 AS found FROM pg_locks WHERE NOT granted AND relation = '${schema}.operations'::regclass`,
          ),
        )
      await expect.poll(waiting).toBeDefined()
      await expect(source.setMoved('elsewhere')).rejects.toMatchObject({ code: 'in_use' })
      await source.close()
      await written
      await hasty.close()
    } finally {
      await source.close()
    }
    expect((await mulligan('queue', 'pause', '--database', url)).code).toBe(0)
  })

  it('goes on where it was broken off, and refuses a target with something of its own', async () => {
    expect((await mulligan('migrate', '--data', 'data', '--to', url)).code).toBe(0)
    expect(await mulligan('migrate', '--data', 'data', '--to', url)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already has a ledger'),
    })
    const ledger = await openPostgresLedger({ database: url })
    await ledger.setSetting('migration', join(cwd, 'data', 'ledger.db'))
    await ledger.database.transaction(sql => sql.exec('DELETE FROM events WHERE id > 5; DELETE FROM keys'))
    await ledger.close()
    // Nobody may use it before it is whole.
    expect(await mulligan('queue', 'pause', '--database', url)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has not ended; run it again to finish it'),
    })
    expect((await mulligan('migrate', '--data', 'data', '--to', url)).code).toBe(0)
    expect((await mulligan('queue', 'pause', '--database', url)).code).toBe(0)
  })

  it('says so when the copy is not the same', async () => {
    expect((await mulligan('migrate', '--data', 'data', '--to', url)).code).toBe(0)
    const ledger = await openPostgresLedger({ database: url })
    await ledger.setSetting('migration', join(cwd, 'data', 'ledger.db'))
    await ledger.database.transaction(sql =>
      sql.exec(`UPDATE operations SET params = '0' WHERE capability = 'many'`),
    )
    await ledger.close()
    expect(await mulligan('migrate', '--data', 'data', '--to', url)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('operations differs'),
    })
  })

  it('refuses while a daemon or a runner uses the source, and where there is nothing', async () => {
    const lock = lockFolder(join(cwd, 'data'), Date.now())
    expect((await mulligan('migrate', '--data', 'data', '--to', url)).stderr).toContain('a daemon is using')
    if (lock.held) lock.release()
    const db = new DatabaseSync(join(cwd, 'data', 'ledger.db'))
    db.exec(`INSERT INTO runners VALUES ('r1', '[]', 'a host', ${Date.now()}, ${Date.now()})`)
    db.close()
    expect((await mulligan('migrate', '--data', 'data', '--to', url)).stderr).toContain(
      '(a host); stop them first',
    )
    expect((await mulligan('migrate', '--data', 'none', '--to', url)).stderr).toContain('no ledger at')
  })

  it('takes a mistyped address for no folder', async () => {
    expect(await mulligan('migrate', '--data', 'data', '--to', 'postgre://db/work')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('begins with postgre://: use postgres://'),
    })
    expect((await mulligan('migrate', '--data', 'data')).code).toBe(2)
    expect((await mulligan('migrate', '--data', 'data', '--to', 'data')).code).toBe(2)
  })
})
