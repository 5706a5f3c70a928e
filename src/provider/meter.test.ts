import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampled } from '../../test/sampled.ts'
import { windowAt } from './cap-window.ts'
import { Meter } from './meter.ts'
import type { Cap } from './settings.ts'
import { type Level, worst } from './window-use.ts'

const at = (text: string) => Date.parse(`2026-04-${text}Z`)
const meterOf = (caps: Cap[], isShared = false) =>
  new Meter(
    'quota/p',
    caps.map(cap => ({ cap, zone: 'UTC' })),
    isShared,
  )
const levelAt = (meter: Meter, now: number): Level => worst(meter.windows(now).map(({ level }) => level))

/** A step: charge an amount in dollars, or only read. */
type Step = [time: string, usd: number | 'look', level: Level]
const HOUR_1: Cap[] = [{ per: 'hour', usd: 1 }]
const BOTH: Cap[] = [
  { per: 'hour', usd: 1 },
  { per: 'day', usd: 1.5 },
]

describe('windows', () => {
  it.each<[string, Cap[], Step[]]>([
    [
      'without a cap are uncapped',
      [],
      [
        ['19T10:00', 'look', 'uncapped'],
        ['19T10:00', 10, 'uncapped'],
      ],
    ],
    [
      'are near from 80 %, exhausted from 100 %',
      HOUR_1,
      [
        ['19T10:00', 0.5, 'within'],
        ['19T10:00', 0.3, 'near'],
        ['19T10:00', 0.3, 'exhausted'],
      ],
    ],
    [
      'add cents up exactly enough: 79 are within, 80 near',
      HOUR_1,
      [
        ['19T10:00', 0.79, 'within'],
        ['19T10:00', 0.01, 'near'],
      ],
    ],
    [
      'of an hour begin anew with the next',
      HOUR_1,
      [
        ['19T10:30', 1.5, 'exhausted'],
        ['19T10:59', 'look', 'exhausted'],
        ['19T11:05', 'look', 'within'],
      ],
    ],
    [
      'of a day hold beside those of the hour; the worse wins',
      BOTH,
      [
        ['19T10:00', 0.9, 'near'],
        ['19T11:00', 0.7, 'exhausted'],
        ['20T00:01', 'look', 'within'],
      ],
    ],
    [
      'of a day begin anew with the next',
      [{ per: 'day', usd: 1 }],
      [
        ['19T10:00', 1.5, 'exhausted'],
        ['20T00:01', 'look', 'within'],
      ],
    ],
    ['of nothing admit nothing', [{ per: 'hour', usd: 0 }], [['19T10:00', 'look', 'exhausted']]],
    [
      'that roll let go of what is older than they are long',
      [{ per: 5 * 3_600_000, usd: 1 }],
      [
        ['19T10:00', 1, 'exhausted'],
        ['19T15:00', 'look', 'exhausted'],
        ['19T15:02', 'look', 'within'],
      ],
    ],
  ])('%s', (_title, caps, steps) => {
    const meter = meterOf(caps)
    for (const [time, usd, level] of steps) {
      if (usd !== 'look') meter.add(at(time), usd, 0, 1)
      expect([time, levelAt(meter, at(time))]).toEqual([time, level])
      expect(meter.admits(at(time))).toBe(level !== 'exhausted')
    }
  })

  it('combine to the worst level', () => {
    expect(worst(['near', 'exhausted', 'within'])).toBe('exhausted')
    expect(worst(['within', 'near', 'uncapped'])).toBe('near')
    expect(worst([])).toBe('uncapped')
  })

  it('count tokens and requests too, and say when they admit again', () => {
    const meter = meterOf([
      { per: 'hour', tokens: 1_000 },
      { per: 3_600_000, requests: 2 },
    ])
    meter.add(at('19T10:10'), 0, 900, 1)
    meter.add(at('19T10:20'), 0, 0, 1)
    expect(meter.windows(at('19T10:21'))).toEqual([
      {
        window: 'hour',
        unit: 'tokens',
        used: 900,
        limit: 1_000,
        level: 'near',
        source: 'counted',
        until: at('19T11:00'),
      },
      {
        window: '1 h',
        unit: 'requests',
        used: 2,
        limit: 2,
        level: 'exhausted',
        source: 'counted',
        until: at('19T11:11'),
      },
    ])
    expect(meter.admits(at('19T11:10'))).toBe(false)
    expect(meter.admits(at('19T11:11'))).toBe(true)
  })

  it('report once that they got worse, and again in the next window', () => {
    const meter = meterOf(HOUR_1)
    meter.add(at('19T10:00'), 0.85, 0, 1)
    expect(meter.worsened(at('19T10:00')).map(({ level }) => level)).toEqual(['near'])
    expect(meter.worsened(at('19T10:01'))).toEqual([])
    meter.add(at('19T10:02'), 0.2, 0, 1)
    expect(meter.worsened(at('19T10:02')).map(({ level }) => level)).toEqual(['exhausted'])
    expect(meter.worsened(at('19T11:00'))).toEqual([])
    meter.add(at('19T11:02'), 0.8, 0, 1)
    expect(meter.worsened(at('19T11:02')).map(({ level }) => level)).toEqual(['near'])
  })

  it('keep what could not be written, and count what others wrote', () => {
    const meter = meterOf(HOUR_1, true)
    meter.add(at('19T10:00'), 0.4, 5, 1)
    expect(meter.leaving()).toEqual([
      { scope: 'quota/p', at: at('19T10:00'), usd: 0.4, tokens: 5, requests: 1 },
    ])
    meter.notWritten()
    meter.add(at('19T10:01'), 0.1, 0, 1)
    expect(meter.leaving()).toHaveLength(2)
    meter.written()
    expect(meter.windows(at('19T10:02'))[0]?.used).toBeCloseTo(0.5)
    meter.load([{ scope: 'quota/p', at: at('19T10:00'), usd: 0.9, tokens: 0, requests: 3 }])
    expect(meter.windows(at('19T10:02'))[0]?.used).toBeCloseTo(0.9)
    expect(meter.leaving()).toEqual([])
  })

  it('never show less than was charged, in any order of writing, reading and forgetting', () => {
    const cap = fc.constantFrom<Cap['per']>('hour', 'day', 'month', 5 * 3_600_000, 604_800_000, 90_000)
    const step = fc.oneof(
      fc.record({ usd: fc.double({ min: 0, max: 5, noNaN: true }) }),
      fc.record({ forwardMs: fc.integer({ min: 0, max: 20_000_000 }) }),
      fc.constantFrom('write' as const, 'fail to write' as const, 'reload' as const),
    )
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu')
    fc.assert(
      fc.property(
        cap,
        zone,
        fc.array(step, { maxLength: 40 }),
        fc.boolean(),
        (per, zone, steps, isShared) => {
          const meter = new Meter('q', [{ cap: { per, usd: 10 }, zone }], isShared)
          const stored = new Map<number, number>()
          const charged: { at: number; usd: number }[] = []
          let now = Date.UTC(2026, 2, 28, 20, 30, 17)
          for (const step of steps) {
            if (step === 'write') {
              for (const { at, usd } of meter.leaving()) stored.set(at, (stored.get(at) ?? 0) + usd)
              meter.written()
            } else if (step === 'fail to write') {
              meter.leaving()
              meter.notWritten()
            } else if (step === 'reload') {
              const spends = [...stored].map(([at, usd]) => ({ scope: 'q', at, usd, tokens: 0, requests: 0 }))
              if (isShared) meter.load(spends)
            } else if ('usd' in step) {
              meter.add(now, step.usd, 0, 1)
              charged.push({ at: now, usd: step.usd })
            } else now += step.forwardMs
            const { from } = windowAt(per, now, zone)
            const sum = charged.reduce((total, { at, usd }) => total + (at >= from ? usd : 0), 0)
            expect(meter.windows(now)[0]?.used).toBeGreaterThanOrEqual(sum - 1e-9)
          }
        },
      ),
      { numRuns: sampled(500) },
    )
  })
})
