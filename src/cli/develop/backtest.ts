import type { FailureClass } from '../../failure/failure.ts'
import { Backtest, type BacktestCase } from '../../unknown/backtest.ts'
import { recordedFailures } from '../../unknown/recorded-failures.ts'
import { signaturesIn } from '../../unknown/signatures-in.ts'
import { backtestToJson } from '../../unknown/unknown-json.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { readText } from '../flag/file.ts'
import { onlyArgument } from '../flag/subcommand.ts'
import { backtestInWords } from '../people/unknown-words.ts'
import { RUNTIME_OPTIONS, RUNTIME_USAGE, withRuntime } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'
import { type CorpusEntry, inputOf, parseCorpus } from './corpus.ts'

export const usage = `Usage: mulligan backtest SIGNATURES.toml [--corpus FILE]… [OPTIONS]

Tries the [[signature]] and error_signatures of a file on failures in the ledger, on well-known failures and on
labelled ones: which class each would have, and which right classifications would become wrong (flips).

  --corpus FILE     labelled failures, as for mulligan eval; may be repeated
  --force           exit with 0 even if there are flips
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 no flips, 1 flips or a file cannot be used, 2 wrong usage.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  corpus: { type: 'string', multiple: true },
  force: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const file = onlyArgument('backtest', 'a file of signatures', positionals)
  const signatures = signaturesIn(readText(file, terminal), file)
  if (signatures.length === 0)
    throw new UsageError(`${file} contains no signatures; add a [[signature]] with pattern and class`)
  const backtest = new Backtest(signatures)
  for (const corpus of values.corpus ?? [])
    for (const entry of parseCorpus(readText(corpus, terminal), corpus)) backtest.add(caseOf(entry))
  await withRuntime(values, terminal, { absent: 'look' }, async ({ ledger }) => {
    if (ledger) for await (const recorded of recordedFailures(ledger)) backtest.add(recorded)
  })
  const { report } = backtest
  terminal.stdout(values.json ? `${JSON.stringify(backtestToJson(report))}\n` : backtestInWords(report))
  if (report.flips === 0 || values.force) return 0
  terminal.stderr(
    'mulligan backtest: right classifications would become wrong; pass --force to accept that\n',
  )
  return 1
}

function caseOf(entry: CorpusEntry): BacktestCase {
  const [input, context] = inputOf(entry, { withProvider: true })
  return { input, context, expected: entry.label.class as FailureClass | 'none' }
}
