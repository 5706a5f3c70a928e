import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../test/agent/stub.ts'
import type { Terminal } from '../cli/terminal.ts'
import { ConfigSource } from '../config/source.ts'
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts'
import { LEDGER_NAME } from '../ledger/location.ts'
import { openLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import { openQueue } from '../queue/open.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { scriptedCapability } from '../testing/scripted.ts'
import { Daemon } from './daemon.ts'
import { loggerFor } from './log.ts'

describe('a running daemon', () => {
  it('deletes old operations with their result files every hour', async () => {
    const data = mkdtempSync(join(tmpdir(), 'mulligan-daemon-'))
    const time = new FakeTime()
    const { capability } = scriptedCapability({ name: 'work', rest: 'x'.repeat(100_000) })
    const queue = await openQueue({ data, time, capabilities: [capability] })
    await time.until(queue.run('work', {}))
    time.jump(31 * 86_400_000)
    const { operationId: young } = await time.until(queue.run('work', {}))
    await queue.close()
    writeFileSync(join(data, 'results', '.op_9.1.json.0123abcd'), 'half a res')
    writeFileSync(join(data, 'results', 'notes.txt'), 'of a person')

    const env = { HOME: data }
    const terminal = { env, cwd: data, stderr: () => {} } as unknown as Terminal
    const ledger = await openLedger({ file: join(data, LEDGER_NAME), time })
    const source = new ConfigSource({ env: { ...env, MULLIGAN_QUEUE_DATA: data }, cwd: data })
    const daemon = new Daemon({
      source,
      folder: data,
      ledger,
      engine: new EmbeddedEngine({ ledger }),
      terminal,
      log: loggerFor(terminal, 'error'),
      time,
    })
    await daemon.start()
    const files = () => readdirSync(join(data, 'results')).sort()
    await time.advance(3_600_000)
    await eventually(() => files().length === 2)
    expect(files()).toEqual(['notes.txt', `${young}.1.json`])
    await time.until(daemon.stop({ graceMs: 0 }))
    await ledger.close()
  })
})
