import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { checkClock, compareClocks } from './checkup/clock.ts'
import { ClockWatch, readClock } from './clock-watch.ts'

const HOUR = 3_600_000
let folder: string
let clocks: { wall: number; up: number; now(): number; uptime(): number }
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-clock-'))
  clocks = { wall: 1_000 * HOUR, up: 0, now: () => clocks.wall, uptime: () => clocks.up }
})
const pass = (ms: number) => {
  clocks.wall += ms
  clocks.up += ms
}

it('sees no jump while both clocks pass alike, asleep or late', () => {
  const watch = new ClockWatch(folder, clocks)
  for (const ms of [10_000, 8 * HOUR, 10_000]) {
    pass(ms)
    expect(watch.look()).toBeUndefined()
  }
  expect(checkClock(readClock(folder), clocks.wall)).toMatchObject({ state: 'ok' })
})

it.each([
  [90_000, 'the clock jumped forward by 1 min 30 s'],
  [-90_000, 'the clock jumped back by 1 min 30 s'],
])('notices a clock that is set by %s ms, and a checkup says so for a day', (byMs, words) => {
  const watch = new ClockWatch(folder, clocks)
  pass(10_000)
  clocks.wall += byMs
  expect(watch.look()).toEqual({ at: clocks.wall, byMs })
  pass(10_000)
  expect(watch.look()).toBeUndefined()
  const found = checkClock(readClock(folder), clocks.wall)
  expect(found).toMatchObject({ state: 'trouble', message: expect.stringContaining(words) })
  expect(found.fix).toContain('synchronise')
  expect(checkClock(readClock(folder), clocks.wall + 25 * HOUR)).toMatchObject({ state: 'ok' })
})

it('remembers jumps over a restart, and notices that the clock went back meanwhile', () => {
  const first = new ClockWatch(folder, clocks)
  clocks.wall += HOUR
  first.look()
  clocks.wall -= 2 * HOUR
  expect(checkClock(readClock(folder), clocks.wall).message).toBe('the clock went back by at least 2 h')
  new ClockWatch(folder, clocks).look()
  expect(readClock(folder)?.jumps.map(({ byMs }) => byMs)).toEqual([HOUR, -2 * HOUR])
  expect(checkClock(readClock(folder), clocks.wall).message).toContain('2 times in 24 h, last back by 2 h')
})

it('keeps the last twenty jumps, for its owner only, and ignores a damaged record', () => {
  const watch = new ClockWatch(folder, clocks)
  for (let n = 0; n < 30; n++) {
    clocks.wall += HOUR
    watch.look()
  }
  expect(readClock(folder)?.jumps).toHaveLength(20)
  expect(readdirSync(folder)).toEqual(['clock.json'])
  expect(statSync(join(folder, 'clock.json')).mode & 0o777).toBe(0o600)
  for (const text of ['{', '{"at":"x","jumps":[]}', '{"at":1,"jumps":[{"at":2}]}', 'null']) {
    writeFileSync(join(folder, 'clock.json'), text)
    expect(readClock(folder)).toBeUndefined()
  }
  expect(checkClock(undefined, 0)).toMatchObject({ state: 'not_checked' })
})

it('compares the clocks of this machine and of the database', () => {
  expect(compareClocks(HOUR, HOUR - 20_000)).toMatchObject({ state: 'ok' })
  expect(compareClocks(HOUR, 0).message).toBe("this machine's clock is 1 h ahead of the database's")
  expect(compareClocks(0, HOUR).message).toBe("this machine's clock is 1 h behind the database's")
})
