import { isFailureKind, KINDS } from '../../failure/failure.ts'
import { LABEL_CLASSES } from '../../failure/label.ts'
import { SignatureCompileError } from '../../failure/signature-error.ts'
import { compilePattern } from '../../failure/signature-pattern.ts'
import { nearest } from '../../option/nearest.ts'
import { teachingToJson } from '../../unknown/unknown-json.ts'
import type { Teaching } from '../../unknown/unknowns.ts'
import { UsageError } from '../flag/arguments.ts'
import { choiceFlag, durationFlag } from '../flag/flags.ts'
import { printJson } from '../print/print-json.ts'
import type { Terminal } from '../terminal.ts'
import { backtestInWords, labelInWords } from './unknown-words.ts'
import type { UnknownFlags, UnknownsRuntime } from './unknowns-runtime.ts'

/** Shows the effect of a label, then gives it. */
export async function label(runtime: UnknownsRuntime, given: readonly string[]): Promise<number> {
  const { unknowns, flags, terminal, who } = runtime
  const teaching = { ...teachingOf(given, flags), who }
  const fingerprint = await unknowns.find(given[0] as string)
  const preview = await unknowns.preview(fingerprint, teaching)
  const { details, backtest, signatures } = preview
  const { parked, proposal } = details
  const pattern = signatures[0]?.pattern
  if (!flags.json) {
    const without = flags['no-pattern'] ? 'none' : `none: ${proposal.none}`
    terminal.stdout(
      `${fingerprint}: ${labelInWords(teaching)}, for ${signatures.map(({ provider }) => provider ?? 'all providers').join(', ')}\n` +
        `Signature: ${pattern ?? `${without}; only the fingerprint matches`}\n${backtestInWords(backtest)}` +
        `${parked} parked ${parked === 1 ? 'operation continues' : 'operations continue'}${await byWhom(runtime, parked)}\n`,
    )
  }
  const mayGive = backtest.flips === 0 || flags.force === true
  const isGiven = mayGive && (flags.yes === true || (await isAgreed('Give this label?', terminal)))
  if (mayGive && !isGiven) {
    if (flags.json) printJson(terminal, teachingToJson(preview))
    else terminal.stdout('Nothing changed yet; to apply: --yes\n')
    return 0
  }
  const { ids } = await unknowns.label(fingerprint, teaching)
  if (flags.json) printJson(terminal, teachingToJson(preview, ids))
  else terminal.stdout(`Labelled (${ids.join(', ')}); to undo: mulligan unknowns withdraw ${ids[0]}\n`)
  return 0
}

/** Says if no runner is alive, because only runners judge parked operations. */
async function byWhom({ ledger }: UnknownsRuntime, parked: number): Promise<string> {
  if (parked === 0 || (await ledger.runners()).length > 0) return ''
  return ' when a runner starts: mulligan serve'
}

/** Asks the user on a terminal; false without a terminal. */
export async function isAgreed(question: string, { ask }: Pick<Terminal, 'ask'>): Promise<boolean> {
  return ask ? /^y(es)?$/i.test((await ask(`${question} [y/N] `)).trim()) : false
}

function teachingOf(
  [fingerprint, cls, kind, ...rest]: readonly string[],
  flags: UnknownFlags,
): Omit<Teaching, 'who'> {
  if (fingerprint === undefined || cls === undefined)
    throw new UsageError(`unknowns label needs a FINGERPRINT and a CLASS: ${LABEL_CLASSES.join(', ')}`)
  if (rest.length > 0)
    throw new UsageError(`unknowns label takes one KIND; unexpected ${JSON.stringify(rest[0])}`)
  const known = LABEL_CLASSES.find(name => name === cls)
  if (!known) {
    const guess = cls === 'flake' ? 'transient' : nearest(cls, LABEL_CLASSES)
    throw new UsageError(
      `unknown class ${JSON.stringify(cls)}; ${guess ? `did you mean ${guess}?` : `one of: ${LABEL_CLASSES.join(', ')}`}`,
    )
  }
  if (kind !== undefined && !isFailureKind(kind)) {
    const guess = nearest(kind, KINDS[known])
    throw new UsageError(
      `unknown kind ${JSON.stringify(kind)}; ${guess ? `did you mean ${guess}?` : `kinds of ${known}: ${KINDS[known].join(', ')}`}`,
    )
  }
  if (flags.pattern !== undefined && flags['no-pattern'])
    throw new UsageError('use --pattern or --no-pattern, not both')
  const pattern = flags['no-pattern'] ? (false as const) : flags.pattern
  if (typeof pattern === 'string') checkPattern(pattern)
  return {
    class: known,
    kind,
    effect: choiceFlag('--effect', flags.effect, ['none', 'maybe']),
    retryAfterMs: durationFlag('--retry-after', flags['retry-after']),
    allProviders: flags['all-providers'],
    why: flags.why,
    force: flags.force,
    pattern,
  }
}

function checkPattern(pattern: string): void {
  try {
    compilePattern('', pattern)
  } catch (error) {
    if (!(error instanceof SignatureCompileError)) throw error
    throw new UsageError(`--pattern ${JSON.stringify(pattern)} cannot be used: ${error.reason}`)
  }
}
