import { describe, expect, test } from 'vitest'
import {
  type Group,
  type Measurement,
  performanceChart,
  performancePage,
  rowsOf,
} from './performance-page.ts'

const measurement: Measurement = {
  commit: 'abc1234',
  at: '2026-11-18T10:00:00.000Z',
  machine: 'a machine',
  load: 0.2,
  runs: [2, 4, 3].map(ours => [
    { what: 'a call', unit: 'µs', values: { Mulligan: ours, 'p<retry': 6 }, better: 'less' },
    {
      what: 'drained',
      unit: 'per second',
      values: { Mulligan: ours, other: 6 },
      better: 'more',
      aim: '1.2 ×',
    },
  ]),
}

const group = (change: Partial<Measurement> = {}, commitsSince = 0): Group => ({
  id: 'calls',
  title: 'Calls',
  about: 'What a call costs.',
  measurements: [{ name: 'call', measurement: { ...measurement, ...change }, commitsSince }],
  missing: [],
})

describe('the performance page', () => {
  test('gives the median of the runs, and how far they differ', () => {
    const [call, drained] = rowsOf(measurement)
    expect(call?.cells).toEqual(['a call', '3.00 µs', 'p<retry 6.00', '2.00 × (1.50–3.00)', ''])
    expect(drained?.cells).toEqual([
      'drained',
      '3.00 per second',
      'other 6.00',
      '0.50 × (0.33–0.67)',
      '1.2 ×',
    ])
  })

  test('says when, where and at which commit it was measured', () => {
    expect(performancePage([group()])).toContain(
      '2026-11-18 at abc1234, a machine: [`call`](../bench/results/call.txt) 3 times.',
    )
  })

  test('says so if a figure is older than its code, or the machine was busy', () => {
    expect(performancePage([group()])).not.toMatch(/older than|, load/)
    expect(performancePage([group({}, 7)])).toContain('7 commits older than its code')
    expect(performancePage([group({ load: 3.14 })])).toContain(', load 3.1')
  })

  test('names what has no figures', () => {
    expect(performancePage([{ ...group(), missing: ['sdk'] }])).toContain(
      '3 times.\nNo figures kept yet: `npm run bench -- all sdk`.',
    )
    expect(performancePage([{ ...group(), measurements: [], missing: ['sdk', 'call'] }])).toMatch(
      /## Calls\n\nNo figures kept yet: .*all sdk`, .*all call`\.\n$/,
    )
  })

  test('draws a bar for each ratio, cut where it would leave nothing to see of the others', () => {
    const runs = [
      [{ what: 'a call', unit: 'µs', values: { Mulligan: 1, far: 90, near: 2 }, better: 'less' as const }],
    ]
    const widths = [...performanceChart(group({ runs })).matchAll(/width="([\d.]+)" height="15"/g)].map(
      hit => hit[1],
    )
    expect(widths).toEqual(['300.0', '150.0'])
    expect(performanceChart(group())).toContain('a call, beside p&lt;retry')
  })
})
