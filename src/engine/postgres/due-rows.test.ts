import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../../test/ledger/postgres/schema.ts'
import { openPostgresLedger, type PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import type { AccessState } from '../../ledger/row/provider-access.ts'
import { dueRows } from './due-rows.ts'
import { PostgresEngine } from './postgres-engine.ts'

const CLOSED: AccessState = { state: 'closed', until: Number.MAX_SAFE_INTEGER }

describe.skipIf(!hasPostgres)(hasPostgres ? 'due work that is read' : WITHOUT_POSTGRES, () => {
  const { url, empty } = hasPostgres ? testSchema() : ({} as ReturnType<typeof testSchema>)
  let ledger: PostgresLedger
  beforeEach(async () => {
    ledger = await openPostgresLedger({ database: url, connections: 2 })
    await empty()
  })
  afterEach(() => ledger.close())

  /** How many of three operations with these providers are read while some are closed. */
  const readOf = async (providers: readonly string[], ...closed: string[]) => {
    const engine = new PostgresEngine({ ledger })
    await engine.schedule(Array.from({ length: 3 }, () => ({ capability: 'a', params: {}, providers })))
    const accesses = new Map(closed.map(id => [id, CLOSED]))
    const source = await ledger.read(sql =>
      dueRows(sql, { capabilities: new Set(['a']), limit: 3, accesses, lock: false }),
    )
    const [group] = source.groups('a')
    return group && source.rows(group, 3).length
  }

  it('is one operation of a pool whose providers are all closed', async () => {
    expect(await readOf(['p', 'q'], 'q', 'p', 'r')).toBe(1)
  })

  it('is all of a pool with a provider that can serve', async () => {
    expect(await readOf(['p', 'q'], 'p')).toBe(3)
  })

  it('is one operation of a closed provider whose name looks like a list', async () => {
    expect(await readOf(['[p]'], '[p]')).toBe(1)
  })

  it('is not refused for a name that the server cannot read as JSON', async () => {
    expect(await readOf(['p', 'a\0b'], 'p')).toBe(3)
  })
})
