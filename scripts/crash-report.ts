import { existsSync, readFileSync } from 'node:fs'
import type { LedgerEvent } from '../src/ledger/event.ts'
import type { Ledger } from '../src/ledger/ledger.ts'
import { isEnded } from '../src/ledger/operation.ts'

/** Result of a crash test. */
export interface CrashReport {
  submitted: number
  succeeded: number
  dead: number
  /** Submitted operations that have not ended or are missing. Must be 0. */
  lost: number
  /** Accepted settles of a run that was not the last. Must be 0. */
  staleSettles: number
  /** Late settles that were refused, as they should be. */
  refusedSettles: number
  /** How often somebody looked and operations were held for a provider. */
  held: number
  /** Repeated effects of an operation, by the cause that ended the previous run. */
  repeated: Record<string, number>
  /** Findings of the ledger check. Must be empty. */
  findings: readonly string[]
}

/** What was done to each runner, and when. The last entry before a takeover is its cause. */
export type Fates = ReadonlyMap<string, readonly { at: number; what: string }[]>

const ENDS = new Set(['succeeded', 'dead', 'retrying', 'snoozed', 'parked', 'handed_back'])

/** Compares the ledger with the log of effects. */
export async function reportOf(
  ledger: Ledger,
  ids: readonly string[],
  logs: { effects: string; refusals: string },
  fates: Fates,
): Promise<CrashReport> {
  const runsOf = new Map<string, number[]>()
  for (const [id, run] of linesOf(logs.effects)) runsOf.set(id, [...(runsOf.get(id) ?? []), Number(run)])
  const report: CrashReport = {
    submitted: ids.length,
    succeeded: 0,
    dead: 0,
    lost: 0,
    staleSettles: 0,
    refusedSettles: linesOf(logs.refusals).length,
    held: 0,
    repeated: {},
    findings: (await ledger.check()).map(({ rule, message }) => `${rule}: ${message}`),
  }
  for (const id of ids) {
    const operation = await ledger.get(id)
    if (!operation || !isEnded(operation)) report.lost++
    else report[operation.state]++
    const events = await ledger.timeline(id)
    report.staleSettles += staleIn(events)
    // A success without its effect counts as a loss too.
    const runs = runsOf.get(id) ?? []
    if (operation?.state === 'succeeded' && !runs.includes(operation.run)) report.lost++
    for (const run of runs.sort((a, b) => a - b).slice(1)) {
      const cause = causeOf(events, run, fates)
      report.repeated[cause] = (report.repeated[cause] ?? 0) + 1
    }
  }
  return report
}

/** Number of settles by a run that another had already replaced. */
export function staleIn(events: readonly LedgerEvent[]): number {
  let current: number | undefined
  let stale = 0
  for (const { type, run } of events) {
    if (type === 'claimed' || type === 'taken_over') current = run
    else if (ENDS.has(type)) {
      if (run !== current) stale++
      current = undefined
    }
  }
  return stale
}

/** Why there was another run: the end of the previous one. */
function causeOf(events: readonly LedgerEvent[], run: number, fates: Fates): string {
  const begin = events.find(
    event => event.run === run && (event.type === 'claimed' || event.type === 'taken_over'),
  )
  if (begin?.type === 'taken_over') {
    const from = String(begin.data?.from)
    const fate = fates.get(from)?.findLast(({ at }) => at <= begin.at)
    return `runner ${fate?.what ?? 'too slow to renew'}`
  }
  const ended = events.findLast(event => event.run === run - 1 && ENDS.has(event.type))
  return ended?.type ?? 'unknown'
}

function linesOf(file: string): [id: string, run: string][] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => line.split(' ') as [string, string])
}
