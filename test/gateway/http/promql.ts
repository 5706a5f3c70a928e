// Not part of the public test kit: the part of PromQL that the example rules use, without extrapolation.

type Labels = Readonly<Record<string, string>>
/** Values by labels at one moment. */
type Vector = { labels: Labels; value: number }[]
/** One page of metrics, with the time it was scraped at, in seconds. */
export interface Scrape {
  at: number
  text: string
}

const TOKEN =
  /\s*(?:([a-zA-Z_:][a-zA-Z0-9_:]*)|("(?:[^"\\]|\\.)*")|(\d+(?:\.\d+)?)([smhd])?|(=~|!~|!=|==|>=|<=|[=<>(){}[\],/*+-]))/y

/** The series for which an expression holds at the last scrape. */
export function evaluate(expression: string, scrapes: readonly Scrape[]): Vector {
  return new Evaluation(expression, scrapes).whole()
}

class Evaluation {
  readonly #tokens: string[] = []
  readonly #scrapes: readonly {
    at: number
    samples: Map<string, { name: string; labels: Labels; value: number }>
  }[]
  #place = 0

  constructor(expression: string, scrapes: readonly Scrape[]) {
    TOKEN.lastIndex = 0
    for (let text = expression.trim(); TOKEN.lastIndex < text.length; ) {
      const found = TOKEN.exec(text)
      if (!found) throw new Error(`cannot read the expression: ${text}`)
      this.#tokens.push(found[0].trim())
    }
    this.#scrapes = scrapes.map(({ at, text }) => ({ at, samples: samplesOf(text) }))
  }

  whole(): Vector {
    const value = this.#either()
    if (this.#place < this.#tokens.length) throw new Error(`unexpected ${this.#tokens[this.#place]}`)
    return value
  }

  #next(...wanted: string[]): string | undefined {
    const token = this.#tokens[this.#place]
    if (token === undefined || (wanted.length > 0 && !wanted.includes(token))) return undefined
    this.#place += 1
    return token
  }

  #must(token: string): void {
    if (this.#next(token) === undefined)
      throw new Error(`expected ${token}, not ${this.#tokens[this.#place]}`)
  }

  #either(): Vector {
    let left = this.#both()
    while (this.#next('or')) {
      const right = this.#both()
      left = [...left, ...right.filter(each => !left.some(other => isSame(each, other)))]
    }
    return left
  }

  #both(): Vector {
    let left = this.#compared()
    while (this.#next('and')) {
      const right = this.#compared()
      left = left.filter(each => right.some(other => isSame(each, other)))
    }
    return left
  }

  #compared(): Vector {
    const left = this.#divided()
    const operator = this.#next('>', '==', '<', '>=', '<=')
    if (operator === undefined) return left
    const limit = Number(this.#next())
    return left.filter(({ value }) => {
      if (operator === '==') return value === limit
      if (operator.startsWith('>')) return operator === '>' ? value > limit : value >= limit
      return operator === '<' ? value < limit : value <= limit
    })
  }

  #divided(): Vector {
    let left = this.#term()
    while (this.#next('/')) {
      const right = this.#term()
      left = left.flatMap(each => {
        const by = right.find(other => isSame(each, other))
        return by ? [{ labels: each.labels, value: each.value / by.value }] : []
      })
    }
    return left
  }

  #term(): Vector {
    if (this.#next('(')) {
      const value = this.#either()
      this.#must(')')
      return value
    }
    const aggregate = this.#next('sum', 'max')
    if (aggregate !== undefined) return this.#aggregated(aggregate)
    const change = this.#next('increase', 'rate')
    if (change === undefined) return this.#selected()
    this.#must('(')
    const value = this.#changed(change)
    this.#must(')')
    return value
  }

  #aggregated(how: string): Vector {
    const by: string[] = []
    if (this.#next('by')) {
      this.#must('(')
      while (!this.#next(')')) {
        by.push(this.#next() as string)
        this.#next(',')
      }
    }
    this.#must('(')
    const inner = this.#either()
    this.#must(')')
    const groups = Map.groupBy(inner, ({ labels }) => JSON.stringify(by.map(name => labels[name] ?? '')))
    return [...groups.values()].map(group => {
      const values = group.map(({ value }) => value)
      const labels = Object.fromEntries(by.map(name => [name, group[0]?.labels[name] ?? '']))
      return { labels, value: how === 'sum' ? values.reduce((a, b) => a + b, 0) : Math.max(...values) }
    })
  }

  #matching(): (sample: { name: string; labels: Labels }) => boolean {
    const name = this.#next()
    const matchers: ((labels: Labels) => boolean)[] = []
    if (this.#next('{'))
      while (!this.#next('}')) {
        const label = this.#next() as string
        const operator = this.#next() as string
        const given = JSON.parse(this.#next() as string) as string
        const isIt = (value: string) =>
          operator.endsWith('~') ? new RegExp(`^(?:${given})$`).test(value) : value === given
        matchers.push(labels => isIt(labels[label] ?? '') !== operator.startsWith('!'))
        this.#next(',')
      }
    return sample => sample.name === name && matchers.every(matcher => matcher(sample.labels))
  }

  #selected(): Vector {
    const isIt = this.#matching()
    return [...(this.#scrapes.at(-1)?.samples.values() ?? [])].filter(isIt)
  }

  /** Needs two values in the range: a series that begins with a value has not increased. */
  #changed(how: string): Vector {
    const isIt = this.#matching()
    this.#must('[')
    const [, count, unit] = /^(\d+)([smhd])$/.exec(this.#next() as string) ?? []
    this.#must(']')
    const seconds = Number(count) * { s: 1, m: 60, h: 3_600, d: 86_400 }[unit as 's' | 'm' | 'h' | 'd']
    const last = this.#scrapes.at(-1)
    const within = this.#scrapes.filter(({ at }) => at > (last?.at ?? 0) - seconds)
    return [...(last?.samples ?? [])].flatMap(([key, sample]) => {
      if (!isIt(sample)) return []
      const values = within.flatMap(({ samples }) => samples.get(key)?.value ?? [])
      if (values.length < 2) return []
      const increase = (values.at(-1) as number) - (values[0] as number)
      return [{ labels: sample.labels, value: how === 'rate' ? increase / seconds : increase }]
    })
  }
}

function isSame(a: { labels: Labels }, b: { labels: Labels }): boolean {
  const { __name__: _a, ...left } = a.labels
  const { __name__: _b, ...right } = b.labels
  return JSON.stringify(Object.entries(left).sort()) === JSON.stringify(Object.entries(right).sort())
}

function samplesOf(text: string) {
  const samples = new Map<string, { name: string; labels: Labels; value: number }>()
  for (const line of text.split('\n')) {
    const [, key = '', name = '', given = '', value] = /^(([a-z_]+)(?:\{(.*)\})?) (\S+)$/.exec(line) ?? []
    if (value === undefined) continue
    const labels = [...given.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [
      label,
      text,
    ])
    samples.set(key, { name, labels: Object.fromEntries(labels), value: Number(value) })
  }
  return samples
}

/** The alerts of a file of rules, with their expressions. */
export function alertsIn(yaml: string): Map<string, string> {
  const alerts = new Map<string, string>()
  for (const [, name = '', inline = '', block = ''] of yaml.matchAll(
    /- alert: (\w+)\n\s+expr: (?:\|\n((?:\s{10,}.*\n)+)|(.*)\n)/g,
  ))
    alerts.set(name, inline || block)
  return alerts
}
