import { quietly } from '../../time/clean-up.ts'
import type { AgendaQuery } from '../agenda.ts'
import type { EventQuery } from '../event.ts'
import type { ListRequest, OperationFilter } from '../filter.ts'
import { agendaOf } from '../record/agenda.ts'
import { answerRead } from './answer.ts'
import { checkLedger } from './check.ts'
import { compactFile } from './compact.ts'
import { Listing } from './listing.ts'
import { DatabaseSync } from './node-sqlite.ts'
import { Reads } from './reads.ts'
import { readSnapshot } from './snapshot.ts'
import { toLedgerError } from './sqlite-error.ts'

/** Answers slow requests, mostly reads, on any connection. */
export function requestHandler(db: DatabaseSync): (request: ReaderRequest) => unknown {
  const listing = new Listing(db)
  return request => {
    switch (request.what) {
      case 'list':
        return listing.page(request.filter, request.page, request.now)
      case 'counts':
        return listing.counts(request.filter, request.now, request.patienceMs)
      case 'agenda':
        return readSnapshot(db, () => answerRead(db, agendaOf(request.query, request.now)))
      case 'events':
        return new Reads(db).events(request.query)
      case 'check':
        return checkLedger(db)
      case 'backup':
        // One read transaction sees one state of the file, whatever is written meanwhile.
        db.prepare('VACUUM INTO ?').run(request.file)
        return undefined
      case 'checkpoint':
        return checkpoint(request.file)
      case 'compact':
        return compactFile(request.file, db)
    }
  }
}

/**
 * Moves the write-ahead log into the file, as far as no reader needs it, so that the file ends where it should. No
 * writer waits for it.
 */
function checkpoint(file: string): void {
  const db = new DatabaseSync(file)
  try {
    db.exec('PRAGMA wal_checkpoint(PASSIVE)')
  } finally {
    void quietly(() => db.close())
  }
}

/** Requests that may take long: reads, and upkeep of the file on a separate connection. */
export type ReaderRequest =
  | { what: 'list'; filter: OperationFilter; page: ListRequest; now: number }
  | { what: 'counts'; filter: OperationFilter; now: number; patienceMs?: number }
  | { what: 'agenda'; query: AgendaQuery; now: number }
  | { what: 'events'; query: EventQuery }
  | { what: 'check' }
  | { what: 'backup'; file: string }
  | { what: 'checkpoint'; file: string }
  | { what: 'compact'; file: string }

/** Answers slow reads. */
export interface LongReads {
  ask(request: ReaderRequest): Promise<unknown>
  close(): Promise<void>
}

/**
 * Reads on a connection of this thread: no thread can open an in-memory database, and a bundle may lack the thread's
 * code.
 */
export class SameThreadReader implements LongReads {
  readonly #answer: (request: ReaderRequest) => unknown

  readonly #close: () => void

  /** @param closes whether to close the connection with it. Default false. */
  constructor(db: DatabaseSync, { closes = false }: { closes?: boolean } = {}) {
    this.#answer = requestHandler(db)
    this.#close = () => {
      if (closes) db.close()
    }
  }

  async ask(request: ReaderRequest): Promise<unknown> {
    try {
      return this.#answer(request)
    } catch (error) {
      throw toLedgerError(error, 'cannot read the ledger')
    }
  }

  async close(): Promise<void> {
    this.#close()
  }
}
