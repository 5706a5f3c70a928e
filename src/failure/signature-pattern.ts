import { RE2JS, RE2Set } from 're2js'
import { SignatureCompileError } from './signature-error.ts'

/** The largest compiled pattern allowed, in steps (counted repetitions expand). Larger ones cost too much on hostile text. */
const LARGEST_PROGRAM = 1_000
/** Patterns larger than this get their own automaton, so they cannot slow the others down. */
const LARGE_PROGRAM = 100

/** Compiles a pattern: RE2 syntax, unanchored, case-insensitive. Throws {@link SignatureCompileError}. */
export function compilePattern(provider: string, source: string): RE2JS {
  const refuse = (reason: string) => new SignatureCompileError(provider, source, reason)
  if (source.trim() === '') throw refuse('it is blank and would match nearly everything')
  let regex: RE2JS
  try {
    regex = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE)
  } catch (error) {
    throw refuse(reasonOf(error))
  }
  if (SHORT_TEXTS.some(text => matchesNothing(regex, text)))
    throw refuse(
      'it matches the empty string and so would match everything; remove *, ? or the empty alternative',
    )
  if (regex.programSize() > LARGEST_PROGRAM)
    throw refuse(
      `it expands to ${regex.programSize()} steps, more than the ${LARGEST_PROGRAM} allowed; use smaller {n,m} counts`,
    )
  return regex
}

/** Covers every place where a pattern can match the empty string: text start and end, a word boundary, none of these. */
const SHORT_TEXTS = ['', 'a', 'ab', ' - ']

function matchesNothing(regex: RE2JS, text: string): boolean {
  const place = regex.matcher(text)
  return place.find() && place.start() === place.end()
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  // RE2JS prepends its own flags to the operator's pattern.
  const reason = text.replace(/^error parsing regexp: /, '').replace('`(?i)', '`')
  return /Perl syntax|\(\?[=!<]/.test(text)
    ? `${reason} (look-around and back-references are not supported, because matching must stay linear)`
    : reason
}

/** Runs patterns as automata in one pass, so matching stays linear in the text for any pattern. */
export class PatternSet {
  readonly #groups: { set: RE2Set; members: number[] }[]

  constructor(patterns: readonly { source: string; regex: RE2JS }[]) {
    const small = patterns.flatMap(({ regex }, index) =>
      regex.programSize() <= LARGE_PROGRAM ? [index] : [],
    )
    const large = patterns.flatMap(({ regex }, index) =>
      regex.programSize() > LARGE_PROGRAM ? [[index]] : [],
    )
    this.#groups = [small, ...large]
      .filter(members => members.length > 0)
      .map(members => {
        const set = new RE2Set(RE2Set.UNANCHORED, RE2JS.CASE_INSENSITIVE)
        for (const index of members) set.add((patterns[index] as { source: string }).source)
        set.compile()
        return { set, members }
      })
  }

  /** The patterns that occur in a text, by index, ascending. */
  matchAll(text: string): number[] {
    return this.#groups
      .flatMap(({ set, members }) => set.match(text).map(id => members[id] as number))
      .sort((a, b) => a - b)
  }
}
