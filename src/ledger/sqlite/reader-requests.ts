import type { DatabaseSync } from 'node:sqlite'
import { agendaOf } from './agenda.ts'
import { checkLedger } from './check.ts'
import { checkpoint } from './checkpoint.ts'
import { compactFile } from './compact.ts'
import { Listing } from './listing.ts'
import type { ReaderRequest } from './reader.ts'
import { Reads } from './reads.ts'

/** Answers slow requests, mostly reads, on any connection. */
export function requestHandler(db: DatabaseSync): (request: ReaderRequest) => unknown {
  const listing = new Listing(db)
  return request => {
    switch (request.what) {
      case 'list':
        return listing.page(request.filter, request.page)
      case 'counts':
        return listing.counts(request.filter, request.now, request.patienceMs)
      case 'agenda':
        return agendaOf(db, request.query)
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
