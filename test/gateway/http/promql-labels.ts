/** A metric that an expression asks for, with the labels it counts on. */
export interface AskedMetric {
  metric: string
  labels: readonly string[]
}

/** What scraping adds to every series. */
const OF_SCRAPING: ReadonlySet<string> = new Set(['job', 'instance'])

/** The metrics of an expression of PromQL, each with the labels of its selector and of every aggregation around it. For tests. */
export function askedIn(expression: string): AskedMetric[] {
  return [...expression.matchAll(/\b((?:mulligan|process)_[a-z_]+)(?:\{([^}]*)\})?/g)].map(found => {
    const selected = [...(found[2] ?? '').matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)].map(
      ([, name]) => name as string,
    )
    const labels = [...selected, ...groupedAround(expression, found.index)]
    return {
      metric: found[1] as string,
      labels: [...new Set(labels)].filter(label => !OF_SCRAPING.has(label)),
    }
  })
}

/** The labels of `by (…)` clauses whose argument holds this place. */
function groupedAround(expression: string, place: number): string[] {
  return [...expression.matchAll(/\bby \(([^)]*)\)\s*\(/g)].flatMap(clause => {
    const opens = clause.index + clause[0].length - 1
    if (opens > place || closingOf(expression, opens) < place) return []
    return (clause[1] as string).split(',').map(label => label.trim())
  })
}

function closingOf(expression: string, opens: number): number {
  let depth = 0
  for (let at = opens; at < expression.length; at++) {
    if (expression[at] === '(') depth++
    if (expression[at] === ')' && --depth === 0) return at
  }
  return expression.length
}

/** The sets of labels that a page of metrics has for each name. */
export function labelsOn(page: string): Map<string, string[][]> {
  const sets = new Map<string, string[][]>()
  for (const line of page.split('\n')) {
    const [, name, labels = ''] = /^([a-z_]+)(?:\{(.*)\})? \S+$/.exec(line) ?? []
    if (name === undefined) continue
    const set = [...labels.matchAll(/([a-z_]+)="/g)].map(([, label]) => label as string)
    sets.set(name, [...(sets.get(name) ?? []), set])
  }
  return sets
}
