import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readQuiet } from '../config/quiet-hours.ts'
import { readConfig } from '../config/read.ts'
import { quietUntil } from './quiet.ts'

const at = (text: string) => Date.parse(text)
const night = { quiet: '22:00-07:00', timeZone: 'Europe/Berlin' }

describe('quiet hours', () => {
  it.each([
    ['2026-01-10T20:59:59Z', undefined],
    ['2026-01-10T21:00:00Z', '2026-01-10T21:30:00Z'],
    ['2026-01-11T05:45:10Z', '2026-01-11T06:00:00Z'],
    ['2026-01-11T06:00:00Z', undefined],
    // The clocks are put forward: 01:30 is 05:30 before seven.
    ['2026-03-29T04:50:00Z', '2026-03-29T05:00:00Z'],
  ])('at %s in Berlin', (now, until) => {
    expect(quietUntil(night, at(now))).toBe(until === undefined ? undefined : at(until))
  })

  it('may lie within a day, and are none unless set', () => {
    const noon = { quiet: '12:00-13:00', timeZone: 'UTC' }
    expect(quietUntil(noon, at('2026-01-10T12:40:00Z'))).toBe(at('2026-01-10T13:00:00Z'))
    expect(quietUntil(noon, at('2026-01-10T13:00:00Z'))).toBeUndefined()
    expect(quietUntil({ timeZone: 'UTC' }, 0)).toBeUndefined()
  })

  it('end: whoever asks again when told to is let through within a day', () => {
    const minute = fc.integer({ min: 0, max: 1_439 })
    const words = (of: number) =>
      `${String(Math.floor(of / 60)).padStart(2, '0')}:${String(of % 60).padStart(2, '0')}`
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/New_York')
    const times = fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 })
    fc.assert(
      fc.property(minute, minute, zones, times, (from, to, timeZone, start) => {
        fc.pre(from !== to)
        let now = start
        for (let next: number | undefined; ; now = next) {
          next = quietUntil({ quiet: `${words(from)}-${words(to)}`, timeZone }, now)
          if (next === undefined) break
          expect(next).toBeGreaterThan(now)
        }
        expect(now - start).toBeLessThan(26 * 3_600_000)
      }),
    )
  })

  it.each(['22-7', '22:00-22:00', '24:00-07:00', '22:00 - 07:00', ''])('are refused as %j', text => {
    expect(readQuiet(text)).toBeUndefined()
    const toml = `[[surface]]\nname = "d"\nkind = "desktop"\nquiet = "${text}"\n`
    expect(() => readConfig(toml, 'm.toml')).toThrow('quiet')
  })
})
