import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CronTimes, cronProblem } from './cron.ts'

const at = (text: string) => Date.parse(text)
const iso = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString())

describe('a cron expression', () => {
  it.each([
    '0 3 * * *',
    '30 0 3 * * *',
    '*/5 9-17 * * MON-FRI',
    '@daily',
    '@hourly',
    '0 0 29 2 *',
    '0 0 L * *',
  ])('%j can be used', expression => {
    expect(cronProblem(expression)).toBeUndefined()
  })

  it.each([
    ['', 'it has not five or six fields'],
    ['sometimes', 'it has not five or six fields'],
    ['* * * *', 'it has not five or six fields'],
    ['0 3 * * * * 2027', 'it has not five or six fields'],
    ['2026-11-15T20:00:00', 'it has not five or six fields'],
    ['61 * * * *', 'Invalid value for minute: 61'],
    ['@reboot', '@reboot is not supported'],
    ['0 0 30 2 *', 'this time never comes'],
  ])('%j cannot: %s', (expression, problem) => {
    expect(cronProblem(expression)).toContain(problem)
    expect(() => new CronTimes(expression, 'UTC')).toThrow(problem)
  })

  it('is read in its zone, and an unknown zone is refused', () => {
    const times = new CronTimes('0 3 * * *', 'Europe/Berlin')
    expect(iso(times.after(at('2026-01-10T00:00:00Z')))).toBe('2026-01-10T02:00:00.000Z')
    expect(iso(times.after(at('2026-07-10T00:00:00Z')))).toBe('2026-07-10T01:00:00.000Z')
    expect(() => new CronTimes('0 3 * * *', 'Mars/Olympus')).toThrow('there is no such time zone')
  })

  it('includes the time it is asked about in what was, and leaves it out of what comes', () => {
    const times = new CronTimes('0 5 * * *', 'UTC')
    const five = at('2026-01-01T05:00:00Z')
    expect(times.upTo(five - 1)).toBe(five - 86_400_000)
    expect(times.upTo(five)).toBe(five)
    expect(times.upTo(five + 999)).toBe(five)
    expect(times.after(five - 1)).toBe(five)
    expect(times.after(five)).toBe(five + 86_400_000)
  })

  it('comes once on the nights when clocks change', () => {
    const times = new CronTimes('30 2 * * *', 'Europe/Berlin')
    const nights = (from: string, to: string) => {
      const found: string[] = []
      for (let time = times.after(at(from)); time !== undefined && time < at(to); time = times.after(time))
        found.push(new Date(time).toISOString())
      return found
    }
    expect(nights('2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z')).toHaveLength(2)
    expect(nights('2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z')).toHaveLength(2)
  })

  it('has the same times forward and backward', () => {
    const expression = fc.constantFrom(
      '*/7 * * * *',
      '30 2 * * *',
      '0 0 1 * *',
      '15 */6 * * MON',
      '*/20 * * * * *',
    )
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe')
    const moment = fc.integer({ min: at('2025-01-01T00:00:00Z'), max: at('2028-01-01T00:00:00Z') })
    fc.assert(
      fc.property(expression, zone, moment, (text, timeZone, now) => {
        const times = new CronTimes(text, timeZone)
        const next = times.after(now) as number
        const last = times.upTo(now) as number
        expect(last).toBeLessThanOrEqual(now)
        expect(next).toBeGreaterThan(now)
        expect(times.upTo(next)).toBe(next)
        expect(times.after(last)).toBe(next)
        expect(times.upTo(next - 1)).toBe(last)
      }),
      { numRuns: 300 },
    )
  })
})
