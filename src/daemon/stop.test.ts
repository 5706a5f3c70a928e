import { mkdtempSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { Interleaving } from '../../test/cli/interleaving.ts'
import type { Terminal } from '../cli/terminal.ts'
import { ConfigSource } from '../config/source.ts'
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts'
import { IN_MEMORY } from '../ledger/sqlite/connection.ts'
import { openLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import { Daemon, type Stopped } from './daemon.ts'
import { loggerFor } from './log.ts'

const CONFIG = `
[[provider]]
id = "p"

[queue]
modules = ["work.mjs"]

[[schedule]]
name = "every-minute"
capability = "work"
cron = "* * * * *"
`

const MODULE = `import { defineCapability } from '${new URL('../capability/index.ts', import.meta.url)}'
import { z } from '${pathToFileURL(createRequire(import.meta.url).resolve('zod'))}'
export const work = defineCapability({ name: 'work', params: z.object({}), retry: 'replay', run: () => 'done' })`

type Life = (daemon: Daemon, interleaving: Interleaving) => AsyncGenerator<void>

/** The start, the upkeep and schedule of a minute, a reload, and the first lease renewals after it. */
const aMinute: Life = async function* (daemon, { fakeTime }) {
  await fakeTime.advance(60_500)
  yield
  await daemon.reload()
  yield
  await fakeTime.advance(20_500)
}

/** The hourly work, which is first done a minute after the start; without the start, which is that of the minute. */
const anHour: Life = async function* (_daemon, interleaving) {
  const { fakeTime, answered } = interleaving
  await fakeTime.advance(3_659_900)
  answered.clear()
  interleaving.isWatching = true
  // The hour begins when the first work is done, which takes longer on a busy machine.
  for (let seconds = 0; seconds < 600 && !answered.has('ledger.prune'); seconds++) {
    yield
    await fakeTime.advance(1_000)
  }
}

/** Runs a daemon and stops it at one moment of its life. Returns the result. */
async function stoppedAt(moment: number, config: string, life: Life) {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-stop-'))
  writeFileSync(join(folder, 'mulligan.toml'), config)
  writeFileSync(join(folder, 'work.mjs'), MODULE)
  const lines: string[] = []
  const terminal = {
    env: { HOME: folder, PATH: process.env.PATH },
    cwd: folder,
    stderr: (line: string) => lines.push(line),
  } as unknown as Terminal
  let stopped: Promise<Stopped> | undefined
  const interleaving = new Interleaving(moment, () => {
    stopped = daemon.stop({ graceMs: 1_000 })
  })
  interleaving.isWatching = life !== anHour
  const { time, fakeTime } = interleaving
  const real = await openLedger({ file: IN_MEMORY, time })
  const ledger = interleaving.over(real)
  const source = new ConfigSource({ flag: join(folder, 'mulligan.toml'), env: terminal.env, cwd: folder })
  const log = loggerFor(terminal, 'info')
  const daemon = new Daemon({
    source,
    folder,
    ledger,
    engine: new EmbeddedEngine({ ledger }),
    terminal,
    log,
    time,
  })
  const started = daemon.start().catch((error: unknown) => {
    if (!stopped) throw error
  })
  await started
  for await (const _ of life(daemon, interleaving)) if (stopped) break
  const reached = stopped !== undefined
  const how = await fakeTime.until(stopped ?? daemon.stop({ graceMs: 1_000 }), 10_000)
  const leftBehind = fakeTime.pending
  const { moments } = interleaving
  // Nothing may happen after the end.
  await fakeTime.advance(7_200_000)
  await real.close()
  const { names, where } = interleaving
  return { reached, how, leftBehind, later: interleaving.moments - moments, where, names, lines }
}

/** Kinds of moments that an earlier life had. */
const tried = new Set<string>()

/** Moments to stop it at: the first and the last of each kind that no earlier life had, or all with EVERY_MOMENT=1. */
function momentsToTry(names: readonly string[]): number[] {
  const all = names.map((_, index) => index + 1)
  if (process.env.EVERY_MOMENT === '1') return all
  const chosen = all.filter(moment => {
    const name = names[moment - 1] as string
    const isEnd = names.indexOf(name) === moment - 1 || names.lastIndexOf(name) === moment - 1
    return isEnd && !tried.has(name)
  })
  for (const name of names) tried.add(name)
  return chosen
}

describe('a daemon that is asked to stop', () => {
  it.each([
    [
      'minute',
      CONFIG,
      aMinute,
      [
        ...['ledger.runners', 'ledger.advertise', 'ledger.setting', 'ledger.counts', 'ledger.transaction'],
        'timer of 60000 ms',
      ],
    ],
    ['hour', '', anHour, ['ledger.prune']],
  ])(
    'ends and leaves nothing behind, at any moment of its %s',
    async (_, config, life, met) => {
      const { names, reached } = await stoppedAt(Infinity, config, life)
      expect(reached).toBe(false)
      for (const moment of momentsToTry(names)) {
        const { how, leftBehind, later, where, lines } = await stoppedAt(moment, config, life)
        const errors = lines.filter(line => line.includes('"level":"error"'))
        expect({ moment, where, how, leftBehind, later, errors }).toEqual({
          moment,
          where,
          how: expect.stringMatching(/^(in_order|not_begun)$/),
          leftBehind: 0,
          later: 0,
          errors: [],
        })
      }
      // Check that the moments cover each loop.
      for (const part of met) expect(names.join()).toContain(part)
    },
    300_000,
  )
})
