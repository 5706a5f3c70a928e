import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Site } from '../../test/cli/daemon.ts'
import { exitCodeOfStart } from '../cli/operate/serve.ts'
import { LedgerError } from '../ledger/error.ts'

let site: Site
beforeEach(() => {
  site = new Site()
})
afterEach(() => site.close())

describe('user code', () => {
  it('cannot end the daemon: its uncaught errors are attributed, logged and counted', async () => {
    site.configure('[queue]\\nmodules = ["work.mjs"]\\n'.replaceAll('\\n', '\n'))
    site.module(
      'work.mjs',
      `export const rejects = capability('rejects', () => {
        Promise.reject(new Error('forgotten'))
        setTimeout(() => { throw new Error('too late, with sk-ant-api03-${'a'.repeat(40)}') }, 1)
        return 'done'
      })
      export const leaves = capability('leaves', () => process.exit(1))
      export const fine = capability('fine', () => 'fine')`,
    )
    const daemon = await site.serve()
    expect(await site.run('submit', 'rejects', '--wait')).toMatchObject({ code: 0, stdout: 'done\n' })
    const stray = (text: string) =>
      daemon.line(({ component, msg }) => component === 'stray' && String(msg).includes(text))
    const whose = { operation: 'op_1', capability: 'rejects', run: 1 }
    expect(await stray('forgotten')).toMatchObject({ ...whose, where: expect.stringContaining('work.mjs') })
    expect(await stray('too late')).toMatchObject(whose)
    expect(JSON.stringify(daemon.lines)).not.toContain('sk-ant-api03')
    await site.run('submit', 'leaves', '--wait')
    const left = await site.json('ops', 'show', `op_${await lastOperation()}`)
    expect(JSON.stringify(left)).toContain('process.exit(1) was called inside the daemon')
    expect(await site.run('submit', 'fine', '--wait')).toMatchObject({ code: 0, stdout: 'fine\n' })
    expect(await daemon.stop()).toBe(0)
    expect(daemon.lines.at(-1)).toMatchObject({ msg: 'stopped; nothing was lost', stray_errors: 2 })
  })

  const lastOperation = async () => {
    const { operations } = await site.json('ops', 'ls')
    const ids = (operations as { id: string }[]).map(({ id }) => Number(id.slice(3)))
    return Math.max(...ids)
  }
})

describe('a damaged ledger under a running daemon', () => {
  it('is reported, and does not end the daemon', async () => {
    const daemon = await site.serve()
    const state = join(site.folder, '.local/state/mulligan')
    const { url } = await daemon.line(({ component }) => component === 'http')
    const headers = { authorization: `Bearer ${readFileSync(join(state, 'http.token'), 'utf8').trim()}` }
    const isReported = () => daemon.lines.some(({ level }) => level === 'error')
    // More than once: a commit under way restores the head of the shared memory, and cached pages still answer.
    while (!isReported()) {
      damage(state)
      await (await fetch(`${url}/v1/operations`, { headers })).text()
    }
    expect(daemon.child.exitCode).toBe(null)
    expect(await daemon.stop()).toBe(1)
  })
})

/** Garbage at the head of the shared memory, the log and the file, as a broken disk would leave. */
function damage(state: string): void {
  for (const name of ['ledger.db-shm', 'ledger.db-wal', 'ledger.db']) {
    const file = openSync(join(state, name), 'r+')
    for (let at = 0; at < 8_192; at += 512) writeSync(file, Buffer.alloc(512, 0xa5), 0, 512, at)
    closeSync(file)
  }
}

describe('exit codes of the daemon', () => {
  it('agree with the unit of mulligan service: only problems that a person must fix are not restarted', () => {
    const unit = readFileSync(new URL('../cli/operate/service/systemd.ts', import.meta.url), 'utf8')
    const kept = /^RestartPreventExitStatus=(.*)$/m.exec(unit)?.[1]?.split(' ').map(Number)
    expect(kept).toEqual([1, 2])
    const codes = (errors: readonly unknown[]) => errors.map(exitCodeOfStart)
    expect(
      codes([new LedgerError('corrupt', ''), new LedgerError('newer', ''), new Error('config')]),
    ).toEqual([1, 1, 1])
    for (const code of codes([
      new LedgerError('locked', ''),
      new LedgerError('full', ''),
      new TypeError('bug'),
    ]))
      expect(kept).not.toContain(code)
  })
})
