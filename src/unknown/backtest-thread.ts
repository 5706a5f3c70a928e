import { parentPort, workerData } from 'node:worker_threads'
import { ConfigError, type Problem } from '../config/error.ts'
import { Backtest, type BacktestReport } from './backtest.ts'
import type { RecordedFailure } from './recorded-failures.ts'
import { type ReadSignatures, readWritten, type WrittenSignatures } from './written-signatures.ts'

/** What the thread is told: more failures, or that there are no more. */
export type ThreadWork = { failures: readonly RecordedFailure[] } | 'end'

/** What the thread answers: first the signatures or their mistakes, then once for each {@link ThreadWork}. */
export type ThreadAnswer =
  | { signatures: ReadSignatures }
  | { file: string; mistakes: readonly Problem[] }
  | { report: BacktestReport }

// A thread that reads and tries signatures, because hundreds of patterns take seconds.
const answer = (value: ThreadAnswer) => parentPort?.postMessage(value)

try {
  const signatures = readWritten(workerData as WrittenSignatures)
  answer({ signatures })
  let backtest: Backtest | undefined
  parentPort?.on('message', (work: ThreadWork) => {
    backtest ??= new Backtest(signatures)
    if (work !== 'end') for (const each of work.failures) backtest.add(each)
    answer({ report: backtest.report })
  })
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  answer({ file: error.file, mistakes: error.problems })
}
