import type { DatabaseSync } from 'node:sqlite'
import type { AgendaQuery } from '../agenda.ts'
import type { EventQuery } from '../event.ts'
import type { ListRequest, OperationFilter } from '../filter.ts'
import { agendaOf } from './agenda.ts'
import { checkLedger } from './check.ts'
import { checkpoint } from './checkpoint.ts'
import { compactFile } from './compact.ts'
import { Listing } from './listing.ts'

import { Reads } from './reads.ts'

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
        return agendaOf(db, request.query, request.now)
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
