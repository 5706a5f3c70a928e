import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { WrongArgument } from '../../failure/own-error.ts'
import { checkNames, namesOf } from '../../option/check-names.ts'
import { quietly } from '../../time/clean-up.ts'
import { realTime, type Time } from '../../time/time.ts'
import type { Agenda, AgendaQuery } from '../agenda.ts'
import { LedgerError } from '../error.ts'
import type { EventQuery, LedgerEvent } from '../event.ts'
import type { CountOptions, Counts, ListRequest, OperationFilter, Page } from '../filter.ts'
import type { Ledger } from '../ledger.ts'
import type { Operation } from '../operation.ts'
import type { Asking } from '../record/asking.ts'
import { holders } from '../record/holds.ts'
import { prune } from '../record/pruning.ts'
import { Records } from '../record/records.ts'
import { PAGE_DEFAULT, pageBegin } from '../row/page-bounds.ts'
import { numberOf } from '../row/rows.ts'
import type {
  Compacted,
  CompactOptions,
  Finding,
  GiveBackOptions,
  LedgerSize,
  Pruned,
  PrunePolicy,
} from '../upkeep.ts'
import { type MaybePromise, resultOf, type Writing } from '../writing.ts'
import { type Answers, answerRead } from './answer.ts'
import { intoNewFile } from './backup-file.ts'
import { ChangeNotice } from './change-notice.ts'
import { Committer } from './committer.ts'
import { liveBytesOf } from './compact.ts'
import { DURABILITIES, type Durability, IN_MEMORY, openForWriting, waitShortly } from './connection.ts'
import { countByIndex, isQuickToCount } from './counting-by-index.ts'
import { FileGuard } from './file-guard.ts'
import { FreeSpace } from './free-space.ts'
import { refuseWhileInUse } from './in-use.ts'
import { logDamage } from './log-damage.ts'
import { watchLog } from './log-growth.ts'
import { migrate } from './migrations.ts'
import { pageDamage } from './page-damage.ts'
import { SqliteProviderStore } from './provider-store.ts'
import { EndedOperations } from './prune.ts'
import { ThreadReader } from './reader.ts'
import type { LongReads, ReaderRequest } from './reader-requests.ts'
import { SameThreadReader } from './reader-requests.ts'
import { isNoneParked, Reads } from './reads.ts'
import { toLedgerError } from './sqlite-error.ts'
import { onlyInside, SqliteTransaction } from './sqlite-transaction.ts'

/** Where a ledger is, and what it promises. */
export interface LedgerOptions {
  /** The file; it and its folder are made if they are not there. `:memory:` is one that ends with the ledger. */
  file: string
  /**
   * What a resolved write has survived: `normal` the death of processes, `full` also a power cut. Default `normal`.
   */
  durability?: Durability
  /** Longest wait for a write lock that another process holds, in milliseconds. Default 60 s. */
  lockWaitMs?: number
  /** Default the time of this machine. */
  time?: Time
}

/** Longest wait for a lock that another process holds, in milliseconds: one minute. */
export const LOCK_WAIT_DEFAULT_MS = 60_000
/** How many counts a command asks for at most; who asks for more lives longer, and renews leases meanwhile. */
const COUNTED_HERE = 4

const NAMES = namesOf<LedgerOptions>({ file: true, durability: true, lockWaitMs: true, time: true })

/** Opens the ledger, and brings its schema up to date. Throws `WrongArgument` for an option that does not exist. */
export async function openLedger(options: LedgerOptions): Promise<SqliteLedger> {
  checkNames('openLedger', options, NAMES)
  const { durability = 'normal' } = options
  // Anything but `full` would be taken for `normal`, and lose in a power cut what was promised to survive it.
  if (!DURABILITIES.includes(durability))
    throw new WrongArgument(
      `openLedger: durability must be one of ${DURABILITIES.join(', ')}, not ${durability}`,
    )
  const file = options.file === IN_MEMORY ? IN_MEMORY : resolve(options.file)
  const db = openForWriting(file, durability)
  try {
    migrate(db, file)
    waitShortly(db)
    return new SqliteLedger(db, { ...options, file })
  } catch (error) {
    void quietly(() => db.close())
    throw toLedgerError(error, `cannot open the ledger ${file}`)
  }
}

/** A ledger in one SQLite file that several processes of one machine share. */
export class SqliteLedger extends Records implements Ledger {
  /** Absolute path of the file, or `:memory:`. */
  readonly file: string
  readonly providers: SqliteProviderStore
  readonly #db: DatabaseSync
  readonly #committer: Committer
  readonly #writes: SqliteTransaction
  /** The same, as work that others hand in gets it. */
  readonly #writesInside: SqliteTransaction
  readonly #reads: Reads
  readonly #reader: LongReads
  #counted = 0
  readonly #notice: ChangeNotice
  readonly #ended: EndedOperations
  readonly #room: FreeSpace
  /** Undefined for one in memory. */
  readonly #fileGuard: FileGuard | undefined
  #closing: Promise<void> | undefined

  constructor(db: DatabaseSync, options: LedgerOptions) {
    super(options.time ?? realTime)
    this.file = options.file
    this.#db = db
    this.#writes = new SqliteTransaction(db, this.time)
    this.#writesInside = onlyInside(this.#writes, db)
    this.#reads = new Reads(db)
    const isShared = this.file !== IN_MEMORY
    this.#reader = isShared ? new ThreadReader(this.file) : new SameThreadReader(db)
    this.#notice = new ChangeNotice(db, isShared ? this.file : undefined, this.time)
    this.#ended = new EndedOperations(db, this.time)
    this.#room = new FreeSpace(db, this.time)
    this.#fileGuard = isShared ? new FileGuard(this.file) : undefined
    this.#committer = new Committer({
      db,
      file: this.file,
      time: this.time,
      lockWaitMs: options.lockWaitMs ?? LOCK_WAIT_DEFAULT_MS,
      writes: this.#writes,
      fileGuard: this.#fileGuard,
      notice: this.#notice,
    })
    const { answers } = this.#writes
    this.providers = new SqliteProviderStore(this, db, this.#committer, this.#notice, answers)
  }

  /** The work runs at once when its turn comes; it is refused if it waits for anything, and nothing of it is kept. */
  transaction<T>(work: (writes: SqliteTransaction) => MaybePromise<T> | Writing<T>): Promise<T> {
    return this.#committer.write(() => resultOf(work(this.#writesInside)) as T)
  }

  async ask<T>(questions: () => Asking<T>): Promise<T> {
    return this.#reading(() => this.#writes.answers.of(questions()))
  }

  write<T>(questions: () => Asking<T>): Promise<T> {
    return this.#committer.write(() => this.#writes.answers.of(questions()))
  }

  /** Reads on the main connection, for an engine's own tables. Nothing may be written. */
  read<T>(work: (db: DatabaseSync, answers: Answers) => T): T {
    return this.#reading(() => work(this.#db, this.#writes.answers))
  }

  async list(filter: OperationFilter = {}, page: ListRequest = {}): Promise<Page<Operation>> {
    // A wrong page is refused even where there is none.
    pageBegin(page.limit ?? PAGE_DEFAULT, page.sort === undefined ? page.cursor : undefined, numberOf)
    if (this.#reading(() => isNoneParked(this.#db, filter))) return { items: [] }
    return (await this.#onReader({ what: 'list', filter, page, now: this.time.now() })) as Page<Operation>
  }

  async counts(filter: OperationFilter = {}, { patienceMs = Infinity }: CountOptions = {}): Promise<Counts> {
    const now = this.time.now()
    const isQuick = this.#reading(() => isQuickToCount(this.#db, filter, this.#counted++ < COUNTED_HERE))
    if (!isQuick) return (await this.#onReader({ what: 'counts', filter, now, patienceMs })) as Counts
    return this.#reading(() => countByIndex(this.#db, filter, now, answerRead(this.#db, holders(now))))
  }

  async agenda(query: AgendaQuery): Promise<Agenda> {
    return (await this.#onReader({ what: 'agenda', query, now: this.time.now() })) as Agenda
  }

  async events(query: EventQuery = {}): Promise<readonly LedgerEvent[]> {
    const reads = this.#reads
    const found = this.#reading(() => (reads.isLongSearch(query) ? undefined : reads.events(query)))
    return found ?? ((await this.#onReader({ what: 'events', query })) as readonly LedgerEvent[])
  }

  async lastEvent(): Promise<number> {
    return this.#reading(() => this.#reads.lastEvent())
  }

  onChange(listener: (own: boolean) => void): () => void {
    return this.#notice.listen(listener)
  }

  async prune(policy: PrunePolicy = {}, signal?: AbortSignal): Promise<Pruned> {
    if (this.#closing) throw this.#closed()
    const forget = (find: () => readonly number[]) => this.transaction(writes => writes.prune(find()))
    return prune(
      policy,
      {
        time: this.time,
        forget: old => this.#ended.forget(old, forget, signal),
        count: async state => (await this.counts({ state })).total,
        ask: questions => this.ask(questions),
        write: questions => this.write(questions),
      },
      signal,
    )
  }

  async giveBack(options: GiveBackOptions = {}, signal?: AbortSignal): Promise<number> {
    if (this.#closing) throw this.#closed()
    const bytes = await this.#room.giveBack(options, work => this.#committer.write(work), signal)
    // The file itself ends where it did until the log has been moved into it.
    if (bytes > 0 && this.file !== IN_MEMORY) await this.#onReader({ what: 'checkpoint', file: this.file })
    return bytes
  }

  /** Bytes that nothing is in and that only {@link compact} gives back, because an older version made the file. */
  stuckBytes(): number {
    return this.#reading(() => this.#room.stuckBytes())
  }

  async size(): Promise<LedgerSize> {
    return this.#reading(() => this.#room.size())
  }

  async compact({ onProgress }: CompactOptions = {}): Promise<Compacted> {
    const runners = await this.runners()
    const ofBytes = this.#reading(() => {
      refuseWhileInUse(this.#db, this.file, runners, this.time.now())
      return liveBytesOf(this.#db)
    })
    await this.#committer.drained()
    this.#fileGuard?.verify()
    const told = (bytes: number) => {
      try {
        onProgress?.({ bytes: Math.min(bytes, ofBytes), ofBytes })
      } catch (error) {
        // Who looks on must not be able to end it, nor the process whose timer this is.
        process.emitWarning(`a listener of the ledger threw: ${error}`, { code: 'MULLIGAN_LEDGER' })
      }
    }
    const stop = this.#fileGuard && onProgress ? watchLog(this.file, this.time, told) : () => {}
    told(0)
    try {
      const compacted = await this.#onReader({ what: 'compact', file: this.file })
      told(ofBytes)
      return compacted as Compacted
    } finally {
      stop()
    }
  }

  async backup(file: string): Promise<void> {
    const target = resolve(file)
    await intoNewFile(target, () => this.#onReader({ what: 'backup', file: target }))
  }

  async check(): Promise<readonly Finding[]> {
    return (await this.#onReader({ what: 'check' })) as Finding[]
  }

  /**
   * Throws a {@link LedgerError} if what was written is not in its files any more: they were deleted or replaced, or
   * something wrote over them. Costs some milliseconds, and up to a second for the first 64 MB of a ledger. After it
   * threw, do not close the ledger but end the process: closing would move a damaged log into the file.
   */
  async verify(): Promise<void> {
    if (!this.#fileGuard) return
    await this.#committer.drained()
    this.#fileGuard.verify()
    const damage = this.#reading(() => logDamage(this.#db, realpathSync(this.file)) ?? pageDamage(this.#db))
    if (damage !== undefined)
      throw new LedgerError(
        'corrupt',
        `the ledger ${this.file} is damaged: ${damage}; see what is left with \`mulligan ledger check\`, or restore a backup`,
      )
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      await this.#committer.drained()
      this.#notice.close()
      await this.#reader.close()
      this.#db.close()
      this.#fileGuard?.close()
    })()
    return this.#closing
  }

  /** The thread would start once more, and never end. */
  async #onReader(request: ReaderRequest): Promise<unknown> {
    if (this.#closing) throw this.#closed()
    return this.#reader.ask(request)
  }

  #closed(): LedgerError {
    return new LedgerError('closed', `the ledger ${this.file} is closed`)
  }

  #reading<T>(work: () => T): T {
    if (!this.#db.isOpen) throw this.#closed()
    try {
      return work()
    } catch (error) {
      throw error instanceof LedgerError || !(error instanceof Error) || !('errcode' in error)
        ? error
        : toLedgerError(error, `cannot read the ledger ${this.file}`)
    }
  }
}
