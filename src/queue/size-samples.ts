import type { Ledger } from '../ledger/ledger.ts'

/** The size of a ledger at some time. */
export interface SizeSample {
  /** Epoch milliseconds. */
  at: number
  bytes: number
}

const SETTING = 'sizes'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** How long there is a sample an hour, in milliseconds: 2 days; then there is one a day. */
const HOURLY_FOR_MS = 2 * DAY_MS
/** How long samples are kept, in milliseconds: 400 days. */
const KEPT_FOR_MS = 400 * DAY_MS
/** Daemons that share a ledger take turns: a sample younger than this is enough, in milliseconds. */
const FRESH_MS = 50 * 60_000

/** The sizes that daemons recorded, oldest first. */
export async function sizeSamples(ledger: Pick<Ledger, 'setting'>): Promise<readonly SizeSample[]> {
  const stored = await ledger.setting(SETTING)
  if (!Array.isArray(stored)) return []
  return stored.flatMap(pair => {
    const [at, bytes] = Array.isArray(pair) ? (pair as unknown[]) : []
    return typeof at === 'number' && typeof bytes === 'number' ? [{ at, bytes }] : []
  })
}

/** Records the size of a ledger, unless that was done within the hour. */
export async function sampleSize(
  ledger: Pick<Ledger, 'setting' | 'setSetting' | 'size'>,
  now: number,
): Promise<void> {
  const before = await sizeSamples(ledger)
  const last = before.at(-1)
  // A clock that went back must not end the samples.
  if (last && last.at <= now && now - last.at < FRESH_MS) return
  const { bytes } = await ledger.size()
  const kept = thinned([...before.filter(({ at }) => at < now), { at: now, bytes }], now)
  await ledger.setSetting(
    SETTING,
    kept.map(sample => [sample.at, sample.bytes]),
  )
}

/** The last sample of every hour of two days, and of every day before that: at most 450. */
export function thinned(samples: readonly SizeSample[], now: number): readonly SizeSample[] {
  const bySpan = new Map<string, SizeSample>()
  for (const sample of samples) {
    const ageMs = now - sample.at
    if (ageMs > KEPT_FOR_MS) continue
    const span =
      ageMs < HOURLY_FOR_MS ? `h${Math.floor(sample.at / HOUR_MS)}` : `d${Math.floor(sample.at / DAY_MS)}`
    bySpan.set(span, sample)
  }
  return [...bySpan.values()]
}

/** How much a ledger grew, negative if it shrank, since the sample that is nearest to `sinceMs` ago; undefined without one. */
export function growthOf(
  samples: readonly SizeSample[],
  bytes: number,
  now: number,
  sinceMs: number,
): { bytes: number; overMs: number } | undefined {
  const first = samples.find(({ at }) => now - at <= sinceMs)
  if (first === undefined || now - first.at < HOUR_MS) return undefined
  return { bytes: bytes - first.bytes, overMs: now - first.at }
}
