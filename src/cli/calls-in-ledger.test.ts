import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { codexAnswer, refuse } from '../../test/agent/bodies.ts'
import { Stubs } from '../../test/agent/stub.ts'
import { runCommand } from '../../test/cli/terminal.ts'
import { openLedger, type SqliteLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import { EXIT } from './exit-code.ts'

let stubs: Stubs
beforeEach(() => {
  stubs = new Stubs()
})

const running = (...argv: string[]) =>
  runCommand(argv, { cwd: stubs.folder, env: { PATH: `${stubs.folder}:${process.env.PATH}` } })
const file = () => join(stubs.folder, '.local', 'state', 'mulligan', 'ledger.db')
const inLedger = async <T>(read: (ledger: SqliteLedger) => Promise<T>): Promise<T> => {
  const ledger = await openLedger({ file: file() })
  try {
    return await read(ledger)
  } finally {
    await ledger.close()
  }
}
const unknowns = () => inLedger(async ledger => (await ledger.unknowns()).items)
const odd = refuse({ result: 'The flux capacitor is out of phase' })

describe('calls outside the queue', () => {
  it('record in the ledger that a provider is blocked, and why', async () => {
    stubs.make('claude', refuse({ api_error_status: 400, result: 'Credit balance is too low' }))
    stubs.make('codex', codexAnswer)
    expect(await running('run', '--pool', 'claude,codex', '--', 'fix it')).toMatchObject({ code: 0 })
    const events = await inLedger(ledger => ledger.events({ types: ['provider_blocked'] }))
    expect(events.map(({ data }) => data)).toMatchObject([
      {
        provider: 'claude',
        cause: 'payment',
        class: 'throttle',
        kind: 'billing',
        reason: expect.stringContaining('Credit balance is too low'),
      },
    ])
    await running('providers', 'reset', 'claude')
    const back = await inLedger(ledger => ledger.events({ types: ['provider_freed'] }))
    expect(back.map(({ data }) => data)).toEqual([{ provider: 'claude' }])
  })

  it('record an unknown failure that ended a run', async () => {
    stubs.make('claude', odd)
    await running('run', '--provider', 'claude', '--', 'fix it')
    expect(await unknowns()).toMatchObject([{ provider: 'claude', count: 1, outcomes: { ended: 1 } }])
  })

  it('record nothing if the config turns that off', async () => {
    writeFileSync(join(stubs.folder, 'mulligan.toml'), '[queue]\nrecord_unknowns = false\n')
    stubs.make('claude', odd)
    await running('run', '--provider', 'claude', '--', 'fix it')
    expect(await unknowns()).toEqual([])
  })

  it('record an unknown failure of a program if there is a ledger, but create none', async () => {
    stubs.make('tool', `process.kill(process.pid, 'SIGSEGV'); setInterval(() => {}, 1000)`)
    await running('exec', '--', 'tool')
    expect(existsSync(file())).toBe(false)
    await inLedger(async () => {})
    await running('exec', '--', 'tool')
    expect(await unknowns()).toMatchObject([{ count: 1 }])
    stubs.make('fails', 'end(3)')
    await running('exec', '--', 'fails')
    expect(await unknowns()).toHaveLength(1)
  })

  it('use labels, also for programs that exec runs', async () => {
    stubs.make(
      'tool',
      `warn('Error: the flux capacitor is out of phase'); process.kill(process.pid, 'SIGSEGV')`,
    )
    await inLedger(async () => {})
    const tell = () => running('exec', '--exit-class', '--', 'tool')
    const { code: before } = await tell()
    const [{ fingerprint } = { fingerprint: '' }] = await unknowns()
    await inLedger(ledger =>
      ledger.transaction(writes =>
        writes.addLabel({ fingerprint, class: 'throttle', kind: 'quota', who: 'ann' }),
      ),
    )
    const { code: after, stderr } = await tell()
    expect([before, after]).toEqual([EXIT.unknown, EXIT.tryLater])
    expect(stderr).toContain('quota')
    expect(await unknowns()).toMatchObject([{ count: 1 }])
  })

  it('and classify, explain and decide use the same labels', async () => {
    const file = join(stubs.folder, 'failure.txt')
    writeFileSync(file, 'The flux capacitor is out of phase')
    const told = async (command: string) => (await running(command, file)).stdout
    const { fingerprint } = JSON.parse((await running('classify', '--json', file)).stdout)
    expect(await told('classify')).toContain('unknown')
    await inLedger(ledger =>
      ledger.transaction(writes =>
        writes.addLabel({ fingerprint, class: 'throttle', kind: 'quota', who: 'ann' }),
      ),
    )
    for (const command of ['classify', 'explain', 'decide']) expect(await told(command)).toContain('throttle')
    writeFileSync(join(stubs.folder, 'mulligan.toml'), '[queue]\nnonsense = 1\n')
    expect(await told('classify')).toContain('unknown')
  })
})
