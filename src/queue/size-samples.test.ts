import fc from 'fast-check'
import { expect, it } from 'vitest'
import { growthOf, sampleSize, sizeSamples, thinned } from './size-samples.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = 1_700_000_000_000

const ledgerOf = () => {
  const settings = new Map<string, unknown>()
  let bytes = 0
  return {
    grow: (by: number) => {
      bytes += by
    },
    size: async () => ({ bytes }),
    setting: async (name: string) => settings.get(name),
    setSetting: async (name: string, value: unknown) => void settings.set(name, value),
  }
}

it('keeps a sample an hour for two days and a day after that, whoever takes them', async () => {
  const ledger = ledgerOf()
  for (let at = START; at < START + 500 * DAY; at += HOUR) {
    ledger.grow(10)
    await sampleSize(ledger, at)
    // Another daemon a minute later.
    await sampleSize(ledger, at + 60_000)
  }
  const samples = await sizeSamples(ledger)
  expect(samples.length).toBeGreaterThan(440)
  expect(samples.length).toBeLessThanOrEqual(450)
  expect(samples.at(-1)).toEqual({ at: START + 500 * DAY - HOUR, bytes: 500 * 24 * 10 })
  expect(samples.map(({ at }) => at)).toEqual(samples.map(({ at }) => at).toSorted((a, b) => a - b))
  expect((samples[1]?.at as number) - (samples[0]?.at as number)).toBe(DAY)
})

it('never keeps more than its bound', () => {
  const times = fc.array(fc.integer({ min: 0, max: 800 * DAY }), { maxLength: 2_000 })
  fc.assert(
    fc.property(times, all => {
      const samples = all.toSorted((a, b) => a - b).map(at => ({ at, bytes: 1 }))
      expect(thinned(samples, 800 * DAY).length).toBeLessThanOrEqual(451)
    }),
  )
})

it('goes on after a clock that went back, and ignores what it does not know', async () => {
  const ledger = ledgerOf()
  await sampleSize(ledger, START + 10 * DAY)
  await sampleSize(ledger, START)
  expect(await sizeSamples(ledger)).toEqual([{ at: START, bytes: 0 }])
  await ledger.setSetting('sizes', [[1, 2], 'x', [3], null])
  expect(await sizeSamples(ledger)).toEqual([{ at: 1, bytes: 2 }])
  await ledger.setSetting('sizes', { newer: true })
  expect(await sizeSamples(ledger)).toEqual([])
})

it('says how much a ledger grew within a span', () => {
  const samples = [
    { at: START, bytes: 100 },
    { at: START + 5 * DAY, bytes: 300 },
  ]
  const now = START + 10 * DAY
  expect(growthOf(samples, 250, now, 7 * DAY)).toEqual({ bytes: -50, overMs: 5 * DAY })
  expect(growthOf(samples, 250, now, 30 * DAY)).toEqual({ bytes: 150, overMs: 10 * DAY })
  expect(growthOf(samples, 250, START + 5 * DAY + 1, DAY)).toBeUndefined()
})
