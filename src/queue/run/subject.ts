import type { Capability } from '../../capability/capability.ts'
import { type ParkVerdict, prepareRun } from '../../capability/prepare-run.ts'
import { routedProviders } from '../../capability/providers.ts'
import type { Mask } from '../../capability/secret/mask.ts'
import type { Operation } from '../../ledger/operation.ts'
import { isAskedByPerson } from '../../ledger/parking.ts'
import type { QueueDeps } from '../queue-deps.ts'
import { History } from './history.ts'

/** Everything that the tries of a run need. */
export interface Subject {
  capability: Capability
  params: unknown
  /** Hides the secrets of the run in everything that comes out of it. */
  mask: Mask
  /** The providers that can serve it, the preferred one first. */
  pool: readonly string[]
  /** The model that serves it, if the capability names one. */
  model: string | undefined
  /** The tool that it calls, if its provider is an MCP server. */
  tool: string | undefined
  history: History
}

/** Prepares an operation for its tries, or returns the verdict that says what it waits for. */
export async function subjectOf(
  deps: QueueDeps,
  operation: Operation,
): Promise<{ subject: Subject } | { subject?: undefined; verdict: ParkVerdict }> {
  await deps.learned.readIfOld(deps.ledger, deps.time.now())
  const attempts = operation.attempts > 0 ? await deps.ledger.attempts(operation.id) : []
  const prepared = await prepareRun(operation, deps)
  if (!prepared.ready) return { verdict: prepared.verdict }
  const { capability, params, mask } = prepared
  const history = new History(capability, attempts)
  if (capability.retry === 'none' && attempts.length > 0)
    await acceptEarlierEffects(deps, operation.id, history)
  // A submitter without the capability cannot name its providers.
  const { providers } = operation
  const pool =
    providers.length > 0 ? providers : routedProviders(deps, capability, operation.session ?? operation.id)
  const { model, tool } = capability
  const names = { model: nameFor(model, params), tool: nameFor(tool, params) }
  return { subject: { capability, params, mask, pool, ...names, history } }
}

function nameFor(name: Capability['model'], params: unknown): string | undefined {
  if (typeof name !== 'function') return name
  try {
    return name(params)
  } catch {
    // Without a model, the limits of all models apply, which is safe; the work itself will report what is wrong.
    return undefined
  }
}

/** A person who reruns a dead or parked operation accepts that it may have done something before. */
async function acceptEarlierEffects({ ledger }: QueueDeps, id: string, history: History): Promise<void> {
  const asked = (await ledger.timeline(id)).findLast(isAskedByPerson)
  if (asked) history.answer(history.attempts.filter(({ run }) => run <= (asked.run ?? 0)).length)
}
