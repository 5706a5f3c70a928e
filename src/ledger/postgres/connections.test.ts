import { describe, expect, it } from 'vitest'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../../test/ledger/postgres/schema.ts'
import { openPostgresLedger } from './postgres-ledger.ts'

describe.skipIf(!hasPostgres)(hasPostgres ? 'the connections of a process' : WITHOUT_POSTGRES, () => {
  const { url } = hasPostgres ? testSchema() : ({} as ReturnType<typeof testSchema>)

  it('are as many as there are reads that wait for each other, up to their number', async () => {
    const ledger = await openPostgresLedger({ database: url, connections: 6 })
    try {
      const servers = new Set<number>()
      const { promise: allBegun, resolve } = Promise.withResolvers<void>()
      const read = () =>
        ledger.read(async sql => {
          servers.add((await sql.row<{ pid: number }>('SELECT pg_backend_pid() AS pid'))?.pid as number)
          if (servers.size === 6) resolve()
          await allBegun
        })
      await Promise.all(Array.from({ length: 6 }, read))
      expect(servers.size).toBe(6)
    } finally {
      await ledger.close()
    }
  })
})
