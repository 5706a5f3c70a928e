import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Time } from '../../time/time.ts'
import type { Inserted } from '../ledger.ts'
import type { NewOperation } from '../operation.ts'
import {
  checkOperation,
  hashOf,
  type KeyRow,
  NEW_COLUMNS,
  newOperationValues,
  SUBMITTED_WITH_IT,
  standing,
} from '../row/new-operation.ts'
import { toId } from '../row/rows.ts'
import type { Numbering } from './numbering.ts'

/** How many bare operations (no key, session, providers or limits of their own) one statement inserts. */
const TOGETHER = 32

/** What the bare operations of one statement share. Their numbers are consecutive, so each binds only its parameters. */
interface Alike {
  first: number
  capability: string
  rank: number
  dueAt: number
  source: string
}

function insertBare(rows: number): string {
  const row = (_: unknown, index: number) =>
    `(?1 + ${index}, ?2, ?${index + 7}, '', ?3, 'scheduled', ?4, ?5, 'first', 'again', ?5, ?5, ?6, ?1 + ${index})`
  return `INSERT INTO operations (id, capability, params, provider, rank, state, due_at, since, waiting, mode, created_at,
    updated_at, source, last_event) VALUES ${Array.from({ length: rows }, row).join(', ')}`
}

/** Writes new operations. */
export class Insertions {
  readonly #time: Time
  readonly #numbering: Numbering
  readonly #last: StatementSync
  readonly #insert: StatementSync
  readonly #insertBare: StatementSync
  readonly #insertBares: StatementSync
  /** Parameters of bare operations that are not written yet, and what they share. */
  #gathered: string[] = []
  #alike: Alike | undefined
  readonly #jump: StatementSync
  readonly #provider: StatementSync
  readonly #key: StatementSync
  readonly #setKey: StatementSync
  /** When the newest operation was created; undefined if not known. */
  #newestAt: number | undefined
  /** The first number that this call gave; Infinity before. */
  #firstOfCall = Infinity

  constructor(db: DatabaseSync, time: Time, numbering: Numbering) {
    this.#time = time
    this.#numbering = numbering
    this.#last = db.prepare('SELECT created_at AS at FROM operations ORDER BY id DESC LIMIT 1')
    this.#insert =
      db.prepare(`INSERT INTO operations (id, since, created_at, updated_at, last_event, state, waiting, mode,
      ${NEW_COLUMNS}) VALUES (?1, ?2, ?2, ?2, ?1, 'scheduled', 'first', 'again', ${NEW_COLUMNS.replaceAll(/\w+/g, '?')})`)
    this.#insertBare = db.prepare(insertBare(1))
    this.#insertBares = db.prepare(insertBare(TOGETHER))
    this.#jump = db.prepare('INSERT INTO clock_jumps (first) VALUES (?)')
    this.#provider = db.prepare(
      'INSERT OR IGNORE INTO operation_providers (provider, operation) VALUES (?, ?)',
    )
    this.#key =
      db.prepare(`SELECT k.capability, k.key, k.operation, k.params_hash, o.state, o.due_at, o.ended_at, o.key_retention_ms
      FROM keys k LEFT JOIN operations o ON o.id = k.operation WHERE k.capability = ? AND k.key = ?`)
    this.#setKey = db.prepare(
      'INSERT OR REPLACE INTO keys (capability, key, operation, params_hash) VALUES (?, ?, ?, ?)',
    )
  }

  /** Drops cached state: another connection may have written, or the write was rolled back. */
  forget(): void {
    this.#newestAt = undefined
  }

  insert(operations: readonly NewOperation[]): Inserted[] {
    // Read within the transaction, so that creation times rise with the ids unless the clock itself goes back.
    const now = this.#time.now()
    // If an operation is refused, those before it are not written either.
    this.#gathered = []
    this.#firstOfCall = Infinity
    const inserted = operations.map(operation => this.#one(operation, now))
    this.#write(now)
    return inserted
  }

  /** Collects operations that can be written together with the previous one; otherwise writes the collected ones first. */
  #gather(id: number, alike: Omit<Alike, 'first'>, params: string, now: number): void {
    const { capability, rank, dueAt, source } = alike
    const last = this.#alike
    const fits =
      last !== undefined &&
      last.first + this.#gathered.length === id &&
      last.capability === capability &&
      last.rank === rank &&
      last.dueAt === dueAt &&
      last.source === source
    if (!fits && this.#gathered.length > 0) this.#write(now)
    if (this.#gathered.length === 0) this.#alike = { first: id, capability, rank, dueAt, source }
    if (this.#gathered.push(params) === TOGETHER) this.#write(now)
  }

  #write(now: number): void {
    const gathered = this.#gathered
    if (gathered.length === 0) return
    this.#gathered = []
    const { first, capability, rank, dueAt, source } = this.#alike as Alike
    if (gathered.length === TOGETHER)
      this.#insertBares.run(first, capability, rank, dueAt, now, source, ...gathered)
    else
      gathered.forEach((params, index) => {
        this.#insertBare.run(first + index, capability, rank, dueAt, now, source, params)
      })
  }

  #one(operation: NewOperation, now: number): Inserted {
    const { capability, providers = [], priority = 0, key } = operation
    checkOperation(operation)
    const hash = key === undefined ? '' : hashOf(operation.params)
    if (key !== undefined) {
      const row = this.#key.get(capability, key) as KeyRow | undefined
      const existing =
        row && standing(row, hash, now, row.operation >= this.#firstOfCall ? SUBMITTED_WITH_IT : undefined)
      if (existing) return existing
    }
    const id = this.#nextId(now)
    const dueAt = operation.dueAt ?? now
    const source = operation.source ?? 'submit'
    if (
      providers.length === 0 &&
      key === undefined &&
      operation.session === undefined &&
      operation.context === undefined &&
      operation.maxRetries === undefined &&
      operation.retryForMs === undefined &&
      operation.trace === undefined
    ) {
      const params = operation.paramsText ?? JSON.stringify(operation.params ?? null)
      this.#gather(id, { capability, rank: 0 - priority, dueAt, source }, params, now)
      return { id: toId(id), created: true, dueAt }
    }
    this.#insert.run(id, now, ...newOperationValues(operation, now))
    for (const provider of providers) this.#provider.run(provider, id)
    if (key !== undefined) this.#setKey.run(capability, key, id, hash)
    return { id: toId(id), created: true, dueAt }
  }

  #nextId(now: number): number {
    const id = this.#numbering.next()
    if (this.#firstOfCall === Infinity) this.#firstOfCall = id
    this.#newestAt ??= (this.#last.get() as { at: number } | undefined)?.at ?? 0
    if (now < this.#newestAt) this.#jump.run(id)
    this.#newestAt = now
    return id
  }
}
