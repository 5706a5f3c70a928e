import { contextFrom, headersOf, loadTracing, type Tracing, tracing } from '../call/tracing.ts'
import type { Begun } from '../engine/engine.ts'
import { isLedgerError } from '../ledger/error.ts'
import type { Inserted, SqlClient } from '../ledger/ledger.ts'
import type { NewOperation } from '../ledger/operation.ts'
import { canonicalJson } from '../ledger/row/new-operation.ts'
import type { Trace } from '../ledger/trace.ts'
import { QueueError } from './error.ts'
import type { QueueDeps } from './queue-deps.ts'
import { newOperation, type Submission } from './submission.ts'

/**
 * Stores operations for any runner with the capability: all of them, or none.
 * @param client a connection on which the caller has begun a transaction, to store them within it
 */
export function submitAll(
  deps: QueueDeps,
  submissions: readonly Submission[],
  client?: SqlClient,
): Promise<readonly Inserted[]> {
  return withinSubmitSpan('submit', submissions, traced => submitTraced(deps, traced, client))
}

async function submitTraced(
  deps: QueueDeps,
  submissions: readonly Submission[],
  client: SqlClient | undefined,
): Promise<readonly Inserted[]> {
  const made = submissions.map(given => newOperation(deps, given))
  const operations = made.some(operation => operation instanceof Promise)
    ? await Promise.all(made)
    : (made as NewOperation[])
  if (client) return within(deps, client, operations)
  try {
    return await deps.engine.schedule(operations)
  } catch (error) {
    const [only] = operations
    if (operations.length !== 1 || !only) throw error
    return [await sameUnderKey(deps, only, error)]
  }
}

function within(
  { ledger }: QueueDeps,
  client: SqlClient,
  operations: readonly NewOperation[],
): Promise<readonly Inserted[]> {
  if (!ledger.within)
    throw new QueueError(
      'invalid',
      'client: the ledger is a local file and cannot take part in a transaction on a server; set [queue] database',
    )
  return ledger.within(client, writes => writes.insert(operations))
}

/**
 * Stores an operation as its first run, leased by this process.
 * @param action what is done, for the name of the span
 */
export function submitAsFirstRun(deps: QueueDeps, submission: Submission, action: string): Promise<Begun> {
  return withinSubmitSpan(action, [submission], ([traced]) => beginTraced(deps, traced as Submission))
}

async function beginTraced(deps: QueueDeps, submission: Submission): Promise<Begun> {
  const { engine, registry, settings, runnerId: runner } = deps
  const operation = await newOperation(deps, submission)
  const leaseMs = registry.get(submission.capability)?.leaseMs ?? settings.leaseMs
  return engine.begin(operation, { runner, leaseMs }).catch(async error => ({
    existing: (await sameUnderKey(deps, operation, error)).id,
  }))
}

/**
 * Sealing the same secret before and after a key rotation produces two texts, which look like different parameters under the same
 * idempotency key. A process that can open both sees that they are equal; any other reports a conflict.
 */
async function sameUnderKey(deps: QueueDeps, operation: NewOperation, conflict: unknown): Promise<Inserted> {
  const capability = deps.registry.get(operation.capability)
  const isConflict = isLedgerError(conflict) && conflict.code === 'key_conflict'
  if (!isConflict || operation.key === undefined || !capability || capability.secrets.length === 0)
    throw conflict
  const existing = await deps.ledger.find(operation.capability, operation.key)
  if (!existing) throw conflict
  const [ours, theirs] = [operation.params, existing.params].map(params => {
    const opened = deps.secrets.open(capability, params, deps.env)
    return 'missing' in opened ? undefined : canonicalJson(opened.params)
  })
  if (ours === undefined || ours !== theirs) throw conflict
  const dueAt = existing.state === 'scheduled' ? existing.dueAt : existing.createdAt
  return { id: existing.id, created: false, dueAt }
}

/**
 * Stores operations within a span of the application's tracer, with the trace that their runs continue, hours later and in other
 * processes. Without tracing, stores the given trace unchanged.
 * @param action what is done, for the name of the span: `submit`, `hand over`
 */
function withinSubmitSpan<S extends Submission, T>(
  action: string,
  submissions: readonly S[],
  store: (submissions: readonly S[]) => Promise<T>,
): Promise<T> {
  // Not async itself: every submission pays for each layer of promises.
  const loading = loadTracing()
  if (loading) return loading.then(() => withinSubmitSpan(action, submissions, store))
  const found = tracing()
  return found ? stored(found, action, submissions, store) : store(submissions)
}

async function stored<S extends Submission, T>(
  { api, tracer }: Tracing,
  action: string,
  submissions: readonly S[],
  store: (submissions: readonly S[]) => Promise<T>,
): Promise<T> {
  const [first] = submissions
  // Submissions of several traces keep their own.
  if (!first || submissions.some(({ trace }) => trace !== first.trace)) return store(submissions)
  const parent = first.trace ? contextFrom(first.trace, api) : api.context.active()
  const attributes = {
    'mulligan.capability': first.capability,
    ...(submissions.length > 1 ? { 'mulligan.operations': submissions.length } : {}),
  }
  const options = { kind: api.SpanKind.PRODUCER, attributes }
  const span = tracer.startSpan(`mulligan ${action} ${first.capability}`, options, parent)
  const trace: Trace = headersOf(span)
  try {
    const traced = submissions.map(submission => ({ ...submission, trace }))
    return await api.context.with(api.trace.setSpan(parent, span), () => store(traced))
  } catch (error) {
    span.setStatus({ code: api.SpanStatusCode.ERROR, message: String((error as Error)?.message ?? error) })
    throw error
  } finally {
    span.end()
  }
}
