import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Site } from '../../../test/cli/daemon.ts'
import { runCommand } from '../../../test/cli/terminal.ts'

const CAPABILITY = `[queue]
data = "state"
[[capability]]
name = "report"
argv = ["echo", "report of {day}"]
params = { day = {} }
retry = "replay"
`
const schedule = (name: string, cron: string, more = '') =>
  `[[schedule]]\nname = "${name}"\ncapability = "report"\ncron = "${cron}"\nparams = { day = "${name}" }\n${more}`

describe('mulligan schedule', () => {
  const NOW = Date.UTC(2026, 0, 1, 12)
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mulligan-schedule-'))
  })
  const configure = (toml: string) => writeFileSync(join(folder, 'mulligan.toml'), toml)
  const mulligan = (...argv: string[]) => runCommand(argv, { cwd: folder, now: NOW })

  it('ls shows the next time of each, and creates no data folder', async () => {
    configure(
      CAPABILITY +
        schedule('nightly', '0 3 * * *', 'time_zone = "Europe/Berlin"\n') +
        schedule('rest', '@daily', 'enabled = false\n'),
    )
    expect(await mulligan('schedule', 'ls')).toEqual({
      code: 0,
      stdout: 'nightly  report  next 2026-01-02T02:00:00Z (in 14 h)\nrest     report  disabled\n',
      stderr: '',
    })
    const { stdout } = await mulligan('schedule', 'ls', '--json')
    expect(JSON.parse(stdout).schedules[0]).toEqual({
      name: 'nightly',
      capability: 'report',
      cron: '0 3 * * *',
      time_zone: 'Europe/Berlin',
      enabled: true,
      next_at: '2026-01-02T02:00:00.000Z',
      paused: null,
      last: null,
    })
    expect(existsSync(join(folder, 'state'))).toBe(false)
  })

  it('ls says how to add one if there is none', async () => {
    configure(CAPABILITY)
    expect((await mulligan('schedule', 'ls')).stdout).toContain('[[schedule]]')
    expect(JSON.parse((await mulligan('schedule', 'ls', '--json')).stdout)).toEqual({ schedules: [] })
  })

  it('run submits the same operation as at its times, even if disabled', async () => {
    configure(CAPABILITY + schedule('nightly', '0 3 * * *', 'enabled = false\npriority = 7\n'))
    expect(await mulligan('schedule', 'run', 'nightly')).toMatchObject({ code: 0, stdout: 'op_1\n' })
    const { stdout } = await mulligan('ops', 'show', 'op_1', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      capability: 'report',
      params: { day: 'nightly' },
      priority: 7,
      source: 'cron',
      context: { cron: 'nightly' },
    })
    // Without a key, so each run is a new operation.
    expect((await mulligan('schedule', 'run', 'nightly')).stdout).not.toBe('op_1\n')
  })

  it('pause and resume say what is in force, and who paused it', async () => {
    configure(CAPABILITY + schedule('nightly', '0 3 * * *'))
    const paused = await mulligan('schedule', 'pause', 'nightly', '--reason', 'audit')
    expect(paused).toMatchObject({ code: 0, stderr: '' })
    expect(paused.stdout).toMatch(/^nightly {2}report {2}paused by \S+ on \S+ since .*: audit\n$/)
    const { stdout } = await mulligan('schedule', 'ls', '--json')
    expect(JSON.parse(stdout).schedules[0]).toMatchObject({ next_at: null, paused: { reason: 'audit' } })
    expect((await mulligan('schedule', 'resume', 'nightly')).stdout).toBe(
      'nightly  report  next 2026-01-02T03:00:00Z (in 15 h)\n',
    )
    expect((await mulligan('schedule', 'pause', 'nigthly')).stderr).toContain('did you mean "nightly"?')
    expect((await mulligan('schedule', 'resume', 'nightly', '--reason', 'x')).stderr).toContain(
      '--reason goes with schedule pause',
    )
    const { stdout: changes } = await mulligan('audit', '--json')
    expect(JSON.parse(changes).changes).toMatchObject([
      { action: 'schedule resume', subject: 'nightly' },
      { action: 'schedule pause', subject: 'nightly', reason: 'audit' },
    ])
  })

  it('run answers an unknown name with the nearest one', async () => {
    configure(CAPABILITY + schedule('nightly', '0 3 * * *'))
    const { code, stderr } = await mulligan('schedule', 'run', 'nigthly')
    expect(code).toBe(2)
    expect(stderr).toContain('unknown schedule "nigthly"; did you mean "nightly"?')
  })
})

describe('a daemon with schedules', () => {
  let site: Site
  beforeEach(() => {
    site = new Site()
  })
  afterEach(() => site.close())

  it('submits each time once, even beside another daemon', async () => {
    site.configure(CAPABILITY + schedule('each', '* * * * * *'))
    const one = await site.serve()
    const two = await site.serve('--also')
    expect(await one.ready()).toMatchObject({ schedules: [{ name: 'each', next_at: expect.any(String) }] })
    await two.line(() => two.lines.filter(({ event }) => event === 'succeeded').length >= 2)
    for (const daemon of [one, two]) expect(await daemon.stop()).toBe(0)
    const { operations } = (await site.json('ops', 'ls')) as {
      operations: { source: string; context: { at: string } }[]
    }
    const times = operations.map(({ context }) => context.at)
    expect(times.length).toBeGreaterThanOrEqual(2)
    expect(new Set(times).size).toBe(times.length)
    expect(operations.every(({ source }) => source === 'cron')).toBe(true)
    for (const daemon of [one, two]) expect(daemon.lines.filter(({ level }) => level === 'error')).toEqual([])
    const status = (await site.json('status')) as { schedules: object[] }
    expect(status.schedules).toMatchObject([{ name: 'each', last: { did: 'submitted' } }])
    expect((await site.run('status')).stdout).toMatch(/^each {2}report {2}next .*last .*: op_\d+$/m)
  })

  it('takes a new schedule on reload, and keeps the old one if the config is broken', async () => {
    site.configure(CAPABILITY + schedule('never', '0 0 1 1 *'))
    const daemon = await site.serve()
    site.configure(CAPABILITY + schedule('each', '61 * * * *'))
    daemon.child.kill('SIGHUP')
    const told = await daemon.line(({ level }) => level === 'error')
    expect(told.msg).toContain('mulligan.toml:11:1: schedule "each": cron must be a cron expression')
    site.configure(CAPABILITY + schedule('each', '* * * * * *'))
    daemon.child.kill('SIGHUP')
    const { operation } = await daemon.event('succeeded')
    expect((await site.run('ops', 'wait', operation as string)).stdout).toBe('report of each\n')
  })

  it('does not start if no module has the capability of a schedule', async () => {
    writeFileSync(
      join(site.folder, 'work.mjs'),
      `import { defineCapability } from ${JSON.stringify(new URL('../../capability/index.ts', import.meta.url).href)}
import { z } from ${JSON.stringify(import.meta.resolve('zod'))}
export const work = defineCapability({ name: 'work', params: z.object({}), retry: 'replay', run: () => null })`,
    )
    site.configure(
      '[queue]\nmodules = ["./work.mjs"]\n[[schedule]]\nname = "a"\ncapability = "wrok"\ncron = "@daily"\n',
    )
    const { code, stderr } = await site.run('serve')
    expect(code).toBe(1)
    expect(stderr).toContain(
      'mulligan.toml:5:1: schedule "a": there is no capability "wrok"; did you mean "work"?',
    )
  })
})
