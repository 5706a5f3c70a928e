import { isFailureKind } from '../failure/failure.ts'
import { type FailureLabel, LABEL_CLASSES, type LabelClass, problemOfLabel } from '../failure/label.ts'
import { present } from '../failure/present.ts'
import { SignatureCompileError } from '../failure/signature-error.ts'
import { compilePattern } from '../failure/signature-pattern.ts'
import { parseDuration } from '../time/duration.ts'
import type { Checked, Entry } from './check.ts'
import type { Path } from './toml/position.ts'

/** Checks the lists of a `[[provider]]`, each pattern separately, so every bad one is reported. */
export function checkErrorSignatures(checked: Checked, entry: Entry, path: Path): void {
  const lists = checked.table('error_signatures', entry)
  for (const list of ['throttle', 'flake']) checkPatterns(checked, lists, list, [...path, 'error_signatures'])
}

/** Checks each pattern of a list. */
export function checkPatterns(checked: Checked, entry: Entry | undefined, list: string, path: Path): void {
  const patterns = entry?.[list]
  if (!Array.isArray(patterns)) return
  patterns.forEach((pattern: unknown, index) => {
    checkPattern(checked, pattern, [...path, list, index])
  })
}

/** Checks a `[[signature]]`: it must match something, and its parts must be consistent. */
export function checkSignature(checked: Checked, entry: Entry, path: Path): void {
  if (entry.pattern === undefined && entry.fingerprint === undefined)
    checked.mistake(path, 'needs a "pattern" or a "fingerprint" to recognise failures by')
  checkPattern(checked, entry.pattern, [...path, 'pattern'])
  if (checked.ids('provider').length > 0) checked.refersTo(entry, path, 'provider', 'provider')
  const label = labelOf(entry)
  const found = label && problemOfLabel(label)
  if (found) checked.mistake([...path, found.part === 'kind' ? 'kind' : 'retry_after'], found.problem)
}

function checkPattern(checked: Checked, pattern: unknown, path: Path): void {
  if (typeof pattern !== 'string' || pattern === '') return
  try {
    compilePattern('', pattern)
  } catch (error) {
    if (!(error instanceof SignatureCompileError)) throw error
    checked.mistake(path, `has an invalid pattern ${JSON.stringify(pattern)}: ${error.reason}`)
  }
}

/** The label as written; undefined if its class is invalid, because then the rest cannot be checked. */
function labelOf({ class: cls, kind, retry_after }: Entry): FailureLabel | undefined {
  if (!LABEL_CLASSES.includes(cls as LabelClass)) return undefined
  const waitMs = typeof retry_after === 'string' ? parseDuration(retry_after) : undefined
  return {
    class: cls as LabelClass,
    ...(typeof kind === 'string' && isFailureKind(kind) ? { kind } : {}),
    ...present({ retryAfterMs: waitMs }),
  }
}
