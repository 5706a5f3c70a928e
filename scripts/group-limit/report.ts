import type { LimitedVendor, Turn } from './vendor.ts'

/** One run in the output of `mulligan group results --json`. */
export interface Result {
  state: string
  result?: unknown
}

/** What the vendor saw, and the results of the group. */
export interface Seen extends Pick<LimitedVendor, 'turns' | 'limit'> {
  results: readonly Result[]
  runs: number
}

/** Broken promises; empty if there are none. */
export function problemsOf({ turns, limit, results, runs }: Seen): string[] {
  const problems: string[] = []
  if (!limit) problems.push('the limit was never reached')
  if (results.length !== runs) problems.push(`${results.length} results of ${runs} runs`)
  for (let number = 1; number <= runs; number++) {
    const own = turns.filter(({ run }) => run === number)
    const answer = JSON.stringify(results[number - 1] ?? null)
    if (!answer.includes(`Answer ${number}"`))
      problems.push(`run ${number} has no answer of its own: ${answer}`)
    for (const turn of [1, 2]) {
      const paid = own.filter(each => each.turn === turn && !each.isRefused).length
      if (paid !== 1) problems.push(`run ${number}: turn ${turn} was paid for ${paid} times`)
    }
    for (const [what, values] of Object.entries({ session: own.map(sessionOf), folder: own.map(folderOf) })) {
      const different = new Set(values)
      if (different.size !== 1)
        problems.push(`run ${number} changed its ${what}: ${[...different].join(', ')}`)
    }
  }
  for (const [what, of] of Object.entries({ session: sessionOf, folder: folderOf })) {
    const shared = new Set(turns.map(of)).size
    if (shared !== runs) problems.push(`${runs} runs had ${shared} different ${what}s`)
  }
  return problems
}

/** The report as text. */
export function reportOf({ turns, limit, results, runs }: Seen): string {
  const refused = turns.filter(({ isRefused }) => isRefused)
  const after = turns.filter(({ at }) => limit !== undefined && at >= limit.to)
  const resumed = new Set(refused.map(({ run }) => run))
  const between = new Set(refused.filter(({ turn }) => turn === 2).map(({ run }) => run))
  const back = firsts(after).map(({ at }) => ((at - (limit?.to ?? 0)) / 1_000).toFixed(1))
  const answered = results.filter(({ state }) => state === 'succeeded').length
  return [
    `${runs} runs, ${answered} answers, ${new Set(turns.map(sessionOf)).size} sessions, ${new Set(turns.map(folderOf)).size} folders`,
    `requests ${turns.length}: ${turns.length - refused.length} answered, ${refused.length} refused`,
    `runs that met the limit ${resumed.size}, of them between their turns ${between.size}`,
    `first requests of runs after the limit, in seconds: ${back.join(', ')}`,
  ].join('\n')
}

const sessionOf = ({ session }: Turn) => session
const folderOf = ({ folder }: Turn) => folder

/** The first request of each run. */
function firsts(turns: readonly Turn[]): Turn[] {
  return turns.filter((turn, index) => turns.findIndex(({ run }) => run === turn.run) === index)
}
