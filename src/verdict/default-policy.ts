import type { Failure } from '../failure/failure.ts'
import type { Circumstances } from './circumstances.ts'
import { type Course, failover, failoverUnlessResumed, type Taken } from './course.ts'
import { asFarAsHeard } from './heard.ts'
import type { Policy } from './policy.ts'
import { type Row, rowOf } from './table.ts'
import type { Verdict } from './verdict.ts'

interface Bound {
  refused: 'unverifiable' | 'expired' | 'exhausted'
  why: string
}

/** Why no course of a row is possible, the most serious reason first. */
const BOUNDS: readonly Bound[] = [
  {
    refused: 'unverifiable',
    why: 'it may have taken effect, and can be neither resumed nor verified',
  },
  { refused: 'expired', why: 'out of time' },
  { refused: 'exhausted', why: 'retry limit reached' },
]

/** The default policy: the first possible course of the row that matches the failure. */
export const defaultPolicy: Policy = {
  name: 'default',
  verdict(failure, circumstances) {
    const row = rowOf(failure, circumstances.now)
    const refusals: Taken[] = []
    for (const course of coursesOf(row, circumstances)) {
      const taken = course.take(failure, circumstances)
      // Another provider could have served it; the reason for stopping is that the try may have taken effect.
      const isLast = 'verdict' in taken && taken.verdict.action === 'cancel' && refusals.some(isUnverifiable)
      if ('verdict' in taken && !isLast) return titled(taken.verdict, row)
      refusals.push(taken)
    }
    return outOfBounds(failure, row, refusals)
  },
  health(failure, circumstances) {
    const mark = rowOf(failure, circumstances.now).health.mark(failure, circumstances)
    return asFarAsHeard(mark, failure, circumstances.now)
  },
}

/** With `failover: 'first'`, whatever may go to another provider does so before it waits. */
function coursesOf(row: Row, { durable, failover: when }: Circumstances): readonly Course[] {
  const courses = durable ? row.durable : row.inProcess
  return when === 'first' && courses.includes(failover) ? [failoverUnlessResumed, ...courses] : courses
}

function isUnverifiable(taken: Taken): boolean {
  return 'refused' in taken && taken.refused === 'unverifiable'
}

function outOfBounds(failure: Failure, row: Row, refusals: readonly Taken[]): Verdict {
  // Always found: a row ends with a course that is always possible, or that a bound forbids.
  const { refused, why } = BOUNDS.find(bound =>
    refusals.some(taken => 'refused' in taken && taken.refused === bound.refused),
  ) as Bound
  return titled({ action: 'cancel', as: refused, reason: `${failure.kind}: ${why}` }, row)
}

function titled(verdict: Extract<Taken, { verdict: unknown }>['verdict'], row: Row): Verdict {
  return { ...verdict, rule: `default:${row.id}` } as Verdict
}
