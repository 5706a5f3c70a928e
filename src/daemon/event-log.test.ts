import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { LEDGER_NAME } from '../ledger/location.ts'
import { openLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import { EventLog } from './event-log.ts'

async function logged(count: number, level = 'info'): Promise<Record<string, unknown>[]> {
  const ledger = await openLedger({ file: join(mkdtempSync(join(tmpdir(), 'mulligan-log-')), LEDGER_NAME) })
  const lines: string[] = []
  const log = new EventLog(ledger, pino({ level }, { write: line => lines.push(line) }), ledger.time)
  await log.start()
  const operations = Array.from({ length: count }, () => ({ capability: 'fine', params: {} }))
  await ledger.transaction(writes => writes.insert(operations))
  await ledger.transaction(writes => writes.cancel('op_1', 'not needed'))
  await log.stop()
  await ledger.close()
  return lines.map(line => JSON.parse(line))
}

it('logs each of a few submissions, and a batch in one line', async () => {
  expect((await logged(2)).map(({ msg }) => msg)).toEqual([
    'op_1 submitted',
    'op_2 submitted',
    expect.stringContaining('op_1 '),
  ])
  expect(await logged(100)).toMatchObject([
    { event: 'submitted', count: 100, first: 'op_1', last: 'op_100' },
    { event: 'dead', operation: 'op_1', capability: 'fine' },
  ])
})

it('leaves out events below the level', async () => {
  expect((await logged(2, 'warn')).map(({ event }) => event)).toEqual(['dead'])
})
