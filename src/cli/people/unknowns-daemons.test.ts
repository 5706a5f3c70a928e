import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Site } from '../../../test/cli/daemon.ts'
import { EmbeddedEngine } from '../../engine/embedded/embedded-engine.ts'
import { LEDGER_NAME } from '../../ledger/location.ts'
import type { OperationState } from '../../ledger/operation.ts'
import { openLedger, type SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'

const COUNT = 50
const CONFIG = '[queue]\ndata = "state"\nmodules = ["./work.mjs"]\nconcurrency = 25\n'

let site: Site
let ledger: SqliteLedger
beforeEach(async () => {
  site = new Site()
  site.configure(CONFIG)
  site.module(
    'work.mjs',
    `let n = 0
    export default [capability('work', () => { throw new Error('run ' + n++ + ': the flux capacitor is detuned') })]`,
  )
  ledger = await openLedger({ file: join(site.folder, 'state', LEDGER_NAME) })
})
afterEach(async () => {
  await site.close()
  await ledger.close()
})

const until = (state: OperationState, count: number) =>
  new Promise<void>(resolve => {
    const look = async () => {
      if ((await ledger.counts({})).states[state] !== count) return
      stop()
      resolve()
    }
    const stop = ledger.onChange(() => void look())
    void look()
  })

/** Stops processes, but not within a write: a stopped one would keep the ledger's lock. */
async function freeze(children: readonly ChildProcess[]): Promise<void> {
  const probe = new DatabaseSync(join(site.folder, 'state', LEDGER_NAME), { timeout: 0 })
  for (let isFrozen = false; !isFrozen; ) {
    for (const child of children) child.kill('SIGSTOP')
    try {
      probe.exec('BEGIN IMMEDIATE; ROLLBACK')
      isFrozen = true
    } catch {
      for (const child of children) child.kill('SIGCONT')
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  probe.close()
}

describe('fifty operations on two daemons that fail with an unknown message', () => {
  it('continue after one label, although both daemons are killed right after it', async () => {
    // Otherwise the second daemon may start first and hold the lock.
    const daemons = [await site.serve(), await site.serve('--also')]
    const engine = new EmbeddedEngine({ ledger })
    await engine.schedule(Array.from({ length: COUNT }, () => ({ capability: 'work', params: {} })))
    await until('parked', COUNT)
    const { unknowns } = (await site.json('unknowns', 'ls')) as {
      unknowns: { fingerprint: string; count: number }[]
    }
    expect(unknowns).toHaveLength(1)
    expect(unknowns[0]?.count).toBe(COUNT)
    const fingerprint = unknowns[0]?.fingerprint as string
    await freeze(daemons.map(({ child }) => child))
    const { code, stdout } = await site.run(
      'unknowns',
      'label',
      fingerprint,
      'throttle',
      'quota',
      '--retry-after',
      '1h',
      '--yes',
    )
    expect([code, stdout]).toEqual([0, expect.stringContaining('0 flips')])
    for (const daemon of daemons) await daemon.stop('SIGKILL')
    expect((await ledger.counts({})).states.parked).toBe(COUNT)
    await site.serve()
    await until('scheduled', COUNT)
    const { items } = await ledger.list({}, { limit: COUNT })
    for (const operation of items)
      expect(operation).toMatchObject({ state: 'scheduled', snoozes: 1, attempts: 1 })
    expect(await ledger.check()).toEqual([])
    await engine.close()
  })
})

describe('operations parked on an unknown failure', () => {
  it('continue when a running daemon reloads a config with a matching signature', async () => {
    const daemon = await site.serve()
    const engine = new EmbeddedEngine({ ledger })
    await engine.schedule([1, 2, 3].map(() => ({ capability: 'work', params: {} })))
    await until('parked', 3)
    const known = 'pattern = "flux capacitor"\nclass = "throttle"\nkind = "quota"\nretry_after = "1h"\n'
    site.configure(`${CONFIG}\n[[signature]]\n${known}`)
    daemon.child.kill('SIGHUP')
    await until('scheduled', 3)
    const { items } = await ledger.list()
    for (const operation of items)
      expect(operation).toMatchObject({ state: 'scheduled', snoozes: 1, failure: { kind: 'quota' } })
    const told = (await ledger.timeline(items[0]?.id as string)).at(-1)
    expect(told).toMatchObject({ data: { by: 'config' } })
    expect(await daemon.stop()).toBe(0)
    await engine.close()
  })
})
