/** Labels of a series; the names are the same in the whole family. */
export type Labels = Readonly<Record<string, string>>

/** One line of the page. */
export interface Sample {
  /** Added to the family's name: `_bucket`, `_sum`, `_count`. Default none. */
  suffix?: string
  labels: Labels
  value: number
}

/** All series with one name. */
export interface Family {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  /** One line for people. */
  help: string
  samples: () => readonly Sample[]
}

/** Most values of one label. Further values count together, so the page cannot grow without limit. */
const MOST_VALUES = 200
/** Value for the rest. */
const OTHER = 'other'

/** Limits the values of each label. */
class LabelValues {
  readonly #seen = new Map<string, Set<string>>()

  bounded(labels: Labels): Labels {
    const bounded: Record<string, string> = {}
    for (const [name, value] of Object.entries(labels)) {
      const seen = this.#seen.get(name) ?? new Set()
      this.#seen.set(name, seen)
      if (seen.size < MOST_VALUES) seen.add(value)
      bounded[name] = seen.has(value) ? value : OTHER
    }
    return bounded
  }
}

/** A number that only goes up, per set of labels. */
export class Counter implements Family {
  readonly type = 'counter'
  readonly name: string
  readonly help: string
  readonly #values = new Map<string, { labels: Labels; value: number }>()
  readonly #labels = new LabelValues()

  constructor(name: string, help: string) {
    this.name = name
    this.help = help
  }

  add(labels: Labels, amount = 1): void {
    if (!(amount >= 0) || !Number.isFinite(amount)) return
    const bounded = this.#labels.bounded(labels)
    const key = JSON.stringify(bounded)
    const known = this.#values.get(key)
    if (known) known.value += amount
    else this.#values.set(key, { labels: bounded, value: amount })
  }

  samples(): Sample[] {
    return [...this.#values.values()]
  }

  /** The values, to survive a restart. */
  toJson(): unknown {
    return this.samples().map(({ labels, value }) => [labels, value])
  }

  /** Continues from stored values. */
  restore(kept: unknown): void {
    for (const [labels, value] of kept as [Labels, number][]) this.add(labels, value)
  }
}

interface Observed {
  labels: Labels
  /** Count per bucket, then of larger values. */
  counts: number[]
  sum: number
}

/** Counts of values per bucket, per set of labels. */
export class Histogram implements Family {
  readonly type = 'histogram'
  readonly name: string
  readonly help: string
  readonly #bounds: readonly number[]
  readonly #observed = new Map<string, Observed>()
  readonly #labels = new LabelValues()

  /** @param bounds upper bounds of the buckets, ascending */
  constructor(name: string, help: string, bounds: readonly number[]) {
    this.name = name
    this.help = help
    this.#bounds = bounds
  }

  observe(labels: Labels, value: number): void {
    if (!(value >= 0) || !Number.isFinite(value)) return
    const found = this.#of(labels)
    const at = this.#bounds.findIndex(bound => value <= bound)
    const bucket = at < 0 ? this.#bounds.length : at
    found.counts[bucket] = (found.counts[bucket] ?? 0) + 1
    found.sum += value
  }

  samples(): Sample[] {
    return [...this.#observed.values()].flatMap(({ labels, counts, sum }) => {
      let total = 0
      const buckets = this.#bounds.map((bound, index) => {
        total += counts[index] ?? 0
        return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: total }
      })
      total += counts[this.#bounds.length] ?? 0
      return [
        ...buckets,
        { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: total },
        { suffix: '_sum', labels, value: sum },
        { suffix: '_count', labels, value: total },
      ]
    })
  }

  /** The values, to survive a restart. */
  toJson(): unknown {
    const series = [...this.#observed.values()].map(({ labels, counts, sum }) => [labels, counts, sum])
    return { bounds: this.#bounds, series }
  }

  /** Continues from stored values, if the buckets are the same. */
  restore(kept: unknown): void {
    const { bounds, series } = kept as { bounds: number[]; series: [Labels, number[], number][] }
    if (JSON.stringify(bounds) !== JSON.stringify(this.#bounds)) return
    for (const [labels, counts, sum] of series) {
      const found = this.#of(labels)
      found.counts = found.counts.map((count, index) => count + (counts[index] ?? 0))
      found.sum += sum
    }
  }

  #of(labels: Labels): Observed {
    const bounded = this.#labels.bounded(labels)
    const key = JSON.stringify(bounded)
    const known = this.#observed.get(key)
    if (known) return known
    const made = { labels: bounded, counts: Array(this.#bounds.length + 1).fill(0) as number[], sum: 0 }
    this.#observed.set(key, made)
    return made
  }
}

/** A value that can go up and down. */
export function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, type: 'gauge', help, samples: () => samples }
}
