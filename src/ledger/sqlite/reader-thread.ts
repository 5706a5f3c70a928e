import { parentPort, workerData } from 'node:worker_threads'
import { checkLedger } from './check.ts'
import { openForReading } from './connection.ts'
import { Listing } from './listing.ts'
import type { ReaderAnswer, ReaderRequest } from './reader.ts'
import { toLedgerError } from './sqlite-error.ts'

// A thread with a connection of its own for reads that may take long, so that the main one goes on.
const { file } = workerData as { file: string }
const db = openForReading(file)
const listing = new Listing(db)

function answer(request: ReaderRequest): unknown {
  switch (request.what) {
    case 'list':
      return listing.page(request.filter, request.page)
    case 'counts':
      return listing.counts(request.filter)
    case 'check':
      return checkLedger(db)
    case 'backup':
      // One read transaction sees one state of the file, whatever is written meanwhile.
      db.prepare('VACUUM INTO ?').run(request.file)
      return undefined
  }
}

parentPort?.on('message', (request: ReaderRequest & { id: number }) => {
  let reply: ReaderAnswer
  try {
    reply = { id: request.id, value: answer(request) }
  } catch (error) {
    const { code, message } = toLedgerError(error, `cannot read the ledger ${file}`)
    reply = { id: request.id, error: { code, message } }
  }
  parentPort?.postMessage(reply)
})
