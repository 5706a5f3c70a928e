import type { DatabaseSync } from 'node:sqlite'
import { checkLedger } from './check.ts'
import { Listing } from './listing.ts'
import { atOneMoment } from './one-moment.ts'
import type { ReaderRequest } from './reader.ts'

/** Answers reads that may take long, on any connection. */
export function answerer(db: DatabaseSync): (request: ReaderRequest) => unknown {
  const listing = new Listing(db)
  return request => {
    switch (request.what) {
      case 'list':
        return atOneMoment(db, () => listing.page(request.filter, request.page))
      case 'counts':
        return atOneMoment(db, () => listing.counts(request.filter, request.now))
      case 'check':
        return checkLedger(db)
      case 'backup':
        // One read transaction sees one state of the file, whatever is written meanwhile.
        db.prepare('VACUUM INTO ?').run(request.file)
        return undefined
    }
  }
}
