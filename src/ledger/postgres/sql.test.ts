import { describe, expect, it } from 'vitest'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../../test/ledger/postgres/schema.ts'
import { openPostgresLedger } from './postgres-ledger.ts'

describe.skipIf(!hasPostgres)(hasPostgres ? 'a list that is sent' : WITHOUT_POSTGRES, () => {
  const { url } = hasPostgres ? testSchema() : ({} as ReturnType<typeof testSchema>)

  it('arrives as it was: numbers, nulls, and texts with quotes, backslashes, commas and braces', async () => {
    const texts = [
      '',
      'NULL',
      null,
      'a"b',
      'a\\b',
      '\\"',
      '{a,b}',
      ' padded ',
      'line\nbreak',
      "it's",
      'ünï 🦊',
    ]
    const numbers = [0, -1, 1.5, 1e21, 5e-7, null, Number.MAX_SAFE_INTEGER]
    const ledger = await openPostgresLedger({ database: url, connections: 2 })
    try {
      const found = await ledger.read(sql =>
        sql.rows<{ text: string | null; number: number | null }>(
          'SELECT * FROM unnest($1::text[], $2::float8[]) AS g(text, number)',
          [texts, numbers],
        ),
      )
      expect(found.map(({ text }) => text)).toEqual(texts)
      expect(found.slice(0, numbers.length).map(({ number }) => number)).toEqual(numbers)
    } finally {
      await ledger.close()
    }
  })

  it('has a mark where a text had a NUL', async () => {
    const ledger = await openPostgresLedger({ database: url, connections: 2 })
    try {
      const found = await ledger.read(sql => sql.row('SELECT $1::text[] AS texts', [['a\0"b']]))
      expect(found).toEqual({ texts: ['a\uFFFD"b'] })
    } finally {
      await ledger.close()
    }
  })
})
