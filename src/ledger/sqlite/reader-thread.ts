import { parentPort, workerData } from 'node:worker_threads'
import { openForReading } from './connection.ts'
import type { ReaderAnswer } from './reader.ts'
import type { ReaderRequest } from './reader-requests.ts'
import { requestHandler } from './reader-requests.ts'
import { toLedgerError } from './sqlite-error.ts'

// A thread with its own connection for slow reads, so that the main thread can continue.
const { file } = workerData as { file: string }
const db = openForReading(file)
const answer = requestHandler(db)

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
