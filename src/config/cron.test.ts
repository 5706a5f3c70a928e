import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CronTimes, cronProblem } from './cron.ts'

/** FC_PARTS=10 npm test tries more. */
const PARTS = Number(process.env.FC_PARTS ?? 1)

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
    ['', 'it needs five or six fields'],
    ['sometimes', 'it needs five or six fields'],
    ['* * * *', 'it needs five or six fields'],
    ['0 3 * * * * 2027', 'it needs five or six fields'],
    ['2026-11-15T20:00:00', 'it needs five or six fields'],
    ['61 * * * *', 'Invalid value for minute: 61'],
    ['@reboot', '@reboot is not supported'],
    ['0 0 30 2 *', 'this time never occurs'],
  ])('%j cannot: %s', (expression, problem) => {
    expect(cronProblem(expression)).toContain(problem)
    expect(() => new CronTimes(expression, 'UTC')).toThrow(problem)
  })

  it('is read in its zone, and an unknown zone is refused', () => {
    const times = new CronTimes('0 3 * * *', 'Europe/Berlin')
    expect(iso(times.after(at('2026-01-10T00:00:00Z')))).toBe('2026-01-10T02:00:00.000Z')
    expect(iso(times.after(at('2026-07-10T00:00:00Z')))).toBe('2026-07-10T01:00:00.000Z')
    expect(() => new CronTimes('0 3 * * *', 'Mars/Olympus')).toThrow('unknown time zone')
  })

  it('includes the given time in upTo, and excludes it from after', () => {
    const times = new CronTimes('0 5 * * *', 'UTC')
    const five = at('2026-01-01T05:00:00Z')
    expect(times.upTo(five - 1)).toBe(five - 86_400_000)
    expect(times.upTo(five)).toBe(five)
    expect(times.upTo(five + 999)).toBe(five)
    expect(times.after(five - 1)).toBe(five)
    expect(times.after(five)).toBe(five + 86_400_000)
  })

  it('runs once on nights when clocks change', () => {
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

  it('loses no run on a day when clocks jump ahead', () => {
    const times = new CronTimes('15 2,3 * * *', 'Europe/Berlin')
    const first = times.after(at('2026-03-28T12:00:00Z')) as number
    // 02:15 is skipped, so it runs when the clock jumps to 03:00.
    expect(iso(first)).toBe('2026-03-29T01:00:00.000Z')
    expect(iso(times.after(first))).toBe('2026-03-29T01:15:00.000Z')
    expect(iso(times.upTo(at('2026-03-29T01:14:00Z')))).toBe('2026-03-29T01:00:00.000Z')
  })

  it('runs once a day for each time of day, in every zone whose clocks change', () => {
    const zone = fc.constantFrom(
      'Europe/Berlin',
      'Europe/Dublin',
      'America/New_York',
      'America/St_Johns',
      'America/Santiago',
      'Australia/Lord_Howe',
      'Africa/Cairo',
      'Africa/Casablanca',
      'Asia/Beirut',
      'Antarctica/Troll',
      'Pacific/Chatham',
      'Asia/Kolkata',
    )
    const pairs = fc.tuple(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 22 }))
    const day = fc.integer({
      min: at('2025-01-01T00:00:00Z') / 86_400_000,
      max: at('2027-06-01T00:00:00Z') / 86_400_000,
    })
    fc.assert(
      fc.property(zone, pairs, day, (timeZone, [minute, hour], from) => {
        const times = new CronTimes(`${minute} ${hour},${hour + 1} * * *`, timeZone)
        const dayOf = (time: number) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(time)
        const found = new Map<string, number>()
        const start = from * 86_400_000
        let last = start
        for (let i = 0; i < 10; i++) {
          const next = times.after(last) as number
          expect(next).toBeGreaterThan(last)
          expect(times.upTo(next)).toBe(next)
          last = next
          // A skipped time near midnight may run on the next day, but counts for its own day.
          found.set(dayOf(next - 1), (found.get(dayOf(next - 1)) ?? 0) + 1)
        }
        const whole = [...found.entries()].slice(1, -1)
        // Troll's clocks jump two hours: both times can be skipped at once, and then share the run at the jump.
        const fewest = timeZone === 'Antarctica/Troll' && hour === 1 ? [1, 2] : [2]
        for (const [date, count] of whole)
          if (hour > 0) expect([date, fewest]).toEqual([date, expect.arrayContaining([count])])
        expect(last - start).toBeLessThan(6.2 * 86_400_000)
      }),
      { numRuns: 120 * PARTS },
    )
  })

  it.each([
    ['America/New_York', '30 2 * * *', '2026-03-08T07:00:00.000Z'],
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-03T15:30:00.000Z'],
    ['Africa/Cairo', '30 0 * * *', '2026-04-23T22:00:00.000Z'],
    ['Pacific/Chatham', '0 3 * * *', '2026-09-26T14:00:00.000Z'],
  ])('in %s runs a skipped time (%s) at the jump', (timeZone, expression, jump) => {
    const times = new CronTimes(expression, timeZone)
    expect(iso(times.upTo(Date.parse(jump)))).toBe(jump)
    expect(iso(times.after(Date.parse(jump) - 1))).toBe(jump)
  })

  it('keeps its interval if it runs every hour', () => {
    const times = new CronTimes('30 * * * *', 'Europe/Berlin')
    for (const night of ['2026-03-29T00:30:00Z', '2026-10-25T00:30:00Z'])
      expect(times.after(at(night))).toBe(at(night) + 3_600_000)
  })

  it('has the same times forward and backward', () => {
    const expression = fc.constantFrom(
      '*/7 * * * *',
      '30 2 * * *',
      '15 2,3 * * *',
      '0,30 2 * * *',
      '@daily',
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
      { numRuns: 100 * PARTS },
    )
  })
})
