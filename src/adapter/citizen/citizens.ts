import { storeResult } from '../../capability/result.ts'
import { present } from '../../failure/present.ts'
import type { SignatureMap } from '../../failure/signature-map.ts'
import { citizenCapability } from '../../ledger/citizen.ts'
import type { Operation } from '../../ledger/operation.ts'
import type { Settlement } from '../../ledger/settlement.ts'
import type { Gate } from '../../provider/gate.ts'
import type { QueueDeps } from '../../queue/queue-deps.ts'
import type { EngineJob, Performed } from '../job/engine-job.ts'
import { JobRun } from '../job/job-run.ts'
import type { JobWork } from '../job/job-work.ts'
import type { Link } from '../job/link.ts'
import type { UnfinishedOutcome } from '../job/outcome.ts'
import { type JobRecord, readRecord, withoutRecord, withRecord } from '../job/record.ts'
import { alone } from './alone.ts'
import type { EngineDesk } from './desk.ts'
import { type Report, Reports } from './reports.ts'
import { cancelledInLedger, standingOf, succeededInLedger } from './standing.ts'

/** What the citizens of a worker need. */
export interface CitizensDeps {
  worker: JobWork
  deps: QueueDeps
}

/**
 * The jobs of one worker as the ledger knows them. A job that never fails is never written. Whatever must be known is
 * written to the ledger first and to the engine second: if the process dies in between, the engine starts the job again,
 * and the ledger says how that start had ended.
 */
export class Citizens implements Link {
  readonly health: Gate
  readonly signatures: SignatureMap
  readonly #worker: JobWork
  readonly #deps: QueueDeps
  readonly #reports: Reports
  /** How each queue begins to get its jobs back. */
  readonly #beginnings = new Map<string, Promise<boolean>>()

  constructor({ worker, deps }: CitizensDeps) {
    this.#worker = worker
    this.#deps = deps
    this.health = deps.health
    this.signatures = deps.learned
    this.#reports = new Reports(deps, problem => worker.report('ledger', problem))
  }

  /** The first jobs of a worker can fail before what hands jobs back has begun. */
  async mayPark(): Promise<boolean> {
    const begun = await this.#reports.within(() => Promise.all(this.#beginnings.values()))
    return begun?.some(Boolean) ?? false
  }

  /** @param beginning resolves when jobs of the queue can be handed back: false if they never will */
  attended({ engine, queue }: EngineDesk, beginning: Promise<boolean>): void {
    this.#beginnings.set(citizenCapability(engine, queue), beginning)
  }

  async readLabels(): Promise<void> {
    const { learned, ledger } = this.#deps
    await this.#reports.within(() => learned.readIfOld(ledger, this.#worker.time.now()))
  }

  async waits(id: string): Promise<boolean> {
    const found = await this.#reports.within(async () => (await this.#deps.ledger.get(id)) ?? null)
    return found === undefined || found?.state === 'parked'
  }

  perform(job: EngineJob): Promise<Performed> {
    const record = ofThisLife(job.record ?? readRecord(job.data))
    const isLost = job.starts !== undefined && job.starts > record.starts + 1
    return isLost || record.operation !== undefined
      ? this.#performKnown(job, record)
      : this.#perform(job, record)
  }

  /** It failed before, or its worker was lost: the ledger may know more than the job. */
  async #performKnown(job: EngineJob, record: JobRecord): Promise<Performed> {
    const operation = await this.#reports.within(() => this.#find(job, record))
    if (!operation) return this.#perform(job, record)
    const standing = await this.#reports.within(() =>
      standingOf(this.#deps, operation, job, record, this.#worker.bounds.retry),
    )
    if (!standing) return this.#perform(job, record)
    if ('end' in standing) return standing.end
    return this.#perform(job, standing.record, operation)
  }

  /** Writes what is not written yet, as far as the ledger can be reached. */
  close(): Promise<void> {
    return this.#reports.close()
  }

  /** The usual success needs one more promise than without a ledger. */
  #perform(job: EngineJob, record: JobRecord, known?: Operation): Promise<Performed> {
    const run = new JobRun(this.#worker, job, record)
    return run.perform().then(performed => {
      // What the ledger does not know and does not need: the success of a job that never failed, a hold, a release.
      const isNews =
        performed.outcome.outcome !== 'done' || record.operation !== undefined || record.tries > 0
      if (isNews && run.tried) return this.#report(job, record, run, performed, known)
      return performed.lookAgainAt === undefined ? performed : lookingAgain(performed)
    })
  }

  async #report(
    job: EngineJob,
    record: JobRecord,
    run: Pick<JobRun<never, never>, 'tried'>,
    performed: Performed,
    known: Operation | undefined,
  ): Promise<Performed> {
    const { tried } = run
    if (!tried) return performed
    const report = await this.#reportOf(job, performed, tried)
    const reported = await this.#reports.write({ ...report, find: () => this.#find(job, record, known) })
    if (reported === 'later') {
      const own = alone(performed, job)
      this.#reports.keep({
        ...report,
        ...(own.verdict ? settlementBy(own.verdict, tried) : {}),
        find: () => this.#find(job, record),
      })
      return underKey(own.performed, job)
    }
    // The engine has given the job to another worker: its data is that one's.
    if (reported === 'stale') return { ...performed, data: undefined }
    if (reported === 'succeeded') return this.#succeeded(job, record, performed)
    const { id, settled } = reported
    const kept: JobRecord = { ...performed.record, operation: id }
    const data = performed.data && withRecord(job.data, kept)
    const { outcome } = performed
    // It was cancelled here meanwhile.
    if (settled.state === 'dead' && outcome.outcome !== 'cancel') return cancelledInLedger(job, kept)
    if (outcome.outcome !== 'park') return lookingAgain({ ...performed, record: kept, data })
    const until = this.#worker.time.now() + this.#deps.settings.maxParkedMs
    return { ...performed, record: kept, data, outcome: { ...outcome, until } }
  }

  /** Another start of the job has succeeded, while the engine took its worker for lost: its result stands, if it is whole. */
  async #succeeded(job: EngineJob, record: JobRecord, performed: Performed): Promise<Performed> {
    const operation = await this.#reports.within(() => this.#find(job, record))
    if (operation?.state !== 'succeeded') return performed
    if (operation.resultCut && performed.outcome.outcome === 'done') return performed
    return succeededInLedger(job, { ...record, operation: operation.id }, operation)
  }

  async #reportOf(
    job: EngineJob,
    { outcome }: Performed,
    tried: NonNullable<JobRun<never, never>['tried']>,
  ): Promise<Omit<Report, 'find'>> {
    const { engine, queue, jobId } = job
    const { provider, name, bounds } = this.#worker
    const start = (tried.note as { start: number }).start
    const operation = {
      capability: citizenCapability(engine, queue),
      params: withoutRecord(job.data) ?? null,
      key: keyOf(job),
      source: 'engine',
      ...(provider === undefined ? {} : { providers: [provider] }),
      context: {
        ...{ engine, queue, job_id: jobId, worker: name, retry: bounds.retry },
        again: await this.#again(job),
      },
    }
    const settlement: Settlement =
      outcome.outcome === 'done'
        ? { succeeded: true, ...(await this.#stored(outcome.value, jobId, start)), attempt: tried }
        : settlementOf(outcome, tried).settlement
    return { operation, settlement, start }
  }

  /** How the job is added again, should it be gone. One about which that cannot be asked now ends as it did all the same. */
  async #again(job: EngineJob): Promise<unknown> {
    try {
      return (await job.again?.()) ?? null
    } catch (error) {
      this.#worker.report('ledger', `the engine could not be asked: ${(error as Error)?.message ?? error}`)
      return null
    }
  }

  #stored(value: unknown, jobId: string, run: number) {
    const { resultLimitBytes } = this.#deps.settings
    return storeResult(value, {
      operation: jobId,
      run,
      ...present({ limitBytes: resultLimitBytes }),
    })
  }

  #find(job: EngineJob, record: JobRecord, known?: Operation): Promise<Operation | undefined> {
    const { ledger } = this.#deps
    if (known) return Promise.resolve(known)
    return record.operation === undefined
      ? ledger.find(citizenCapability(job.engine, job.queue), keyOf(job))
      : ledger.get(record.operation)
  }
}

/** Names one job among all that ever had its id. */
function keyOf(job: EngineJob): string {
  const { succeededAt } = job.record ?? readRecord(job.data)
  return succeededAt === undefined ? birthKeyOf(job) : `${birthKeyOf(job)}@${succeededAt}`
}

function birthKeyOf({ jobId, createdAt, data, record }: EngineJob): string {
  const { key } = record ?? readRecord(data)
  return key ?? (createdAt === undefined ? jobId : `${jobId}@${createdAt}`)
}

/** What the ledger will hear later must be found by what the job's next start tells it. */
function underKey(performed: Performed, job: EngineJob): Performed {
  const record: JobRecord = { ...performed.record, key: birthKeyOf(job) }
  return { ...performed, record, data: performed.data && withRecord(job.data, record) }
}

/** A job that succeeded and is run again by a person is another operation. */
function ofThisLife(record: JobRecord): JobRecord {
  if (record.succeededAt === undefined) return record
  const { operation: _succeeded, succeededAt: _at, ...rest } = record
  return rest
}

/** The engine starts it before its provider's limit is over: the shared health may have heard by then that it ended early. */
function lookingAgain(performed: Performed): Performed {
  const { outcome, lookAgainAt } = performed
  if (outcome.outcome !== 'snooze' || lookAgainAt === undefined) return performed
  return { ...performed, outcome: { ...outcome, until: lookAgainAt } }
}

type Tried = NonNullable<JobRun<never, never>['tried']>

/** How the run ended for the ledger: with the waits that the engine was told. */
function settlementOf(outcome: UnfinishedOutcome, tried: Tried): { settlement: Settlement } {
  const rule = tried.verdict?.rule ?? 'job'
  const { reason } = outcome
  switch (outcome.outcome) {
    case 'retry':
      return settlementBy(
        { action: 'retry', delayMs: outcome.afterMs, mode: outcome.mode, reason, rule },
        tried,
      )
    case 'snooze':
      return settlementBy({ action: 'snooze', until: outcome.until, mode: outcome.mode, reason, rule }, tried)
    case 'park':
      return settlementBy({ action: 'park', for: outcome.for, ...originOf(tried), reason, rule }, tried)
    case 'cancel':
      return settlementBy({ action: 'cancel', as: outcome.as, reason, rule }, tried)
  }
}

function originOf({ verdict }: Tried) {
  return verdict?.action === 'park' && verdict.origin !== undefined ? { origin: verdict.origin } : {}
}

function settlementBy(verdict: Extract<Settlement, { succeeded?: false }>['verdict'], tried: Tried) {
  return { settlement: { verdict, attempt: { ...tried, verdict } } satisfies Settlement }
}
