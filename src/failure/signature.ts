import { RE2JS, RE2Set } from 're2js'
import { MEANING, type MeaningfulError, type OwnMeaning } from './own-error.ts'
import { TEXT_LIMIT, trim } from './text/trim.ts'

/** The list that a pattern stands in. `flake` is the config's word for transient. */
export type SignatureList = 'throttle' | 'flake'

/** What an operator's signatures say of a text: the list that matched, or that none did. */
export type SignatureAnswer = SignatureList | 'unknown'

/** An operator's patterns for one provider, as written in config. */
export interface SignatureLists {
  /** Patterns that mean: not now, you used too much. Default none. */
  throttle?: readonly string[]
  /** Patterns that mean: would likely succeed if repeated soon. Default none. */
  flake?: readonly string[]
}

/** The pattern that decided, and where it matched. */
export interface SignatureMatch {
  list: SignatureList
  pattern: string
  /** The text it matched in, and which part of it. */
  text: string
  start: number
  end: number
}

/** A pattern that cannot be used. Start-up stops on it, naming provider, pattern and reason. */
export class SignatureCompileError extends Error implements MeaningfulError {
  override name = 'SignatureCompileError'
  readonly code = 'SIGNATURE_COMPILE'
  readonly provider: string
  readonly pattern: string
  readonly reason: string

  constructor(provider: string, pattern: string, reason: string) {
    super(
      `provider ${JSON.stringify(provider)}: error signature ${JSON.stringify(pattern)} cannot be used: ${reason}`,
    )
    this.provider = provider
    this.pattern = pattern
    this.reason = reason
  }

  get [MEANING](): OwnMeaning {
    return { kind: 'config' }
  }
}

/** A pattern larger than this (counted repetitions expand) would cost too much on a hostile text. */
const LARGEST_PROGRAM = 1_000
/** Patterns larger than this get an automaton of their own, so that they cannot slow the others down. */
const LARGE_PROGRAM = 100

interface Pattern {
  list: SignatureList
  source: string
  regex: RE2JS
}

/**
 * Compiled signatures of one provider. Patterns are RE2 syntax, unanchored and case-insensitive; they run as
 * automata in one pass, so no pattern can make matching worse than linear in the text.
 */
export class Signatures {
  readonly provider: string
  readonly #patterns: Pattern[]
  readonly #groups: { set: RE2Set; members: number[] }[]

  constructor(provider: string, lists: SignatureLists) {
    this.provider = provider
    const compile = (list: SignatureList) => (source: string) => ({
      list,
      source,
      regex: compilePattern(provider, source),
    })
    // Throttle patterns come first, so the first of several matches is the one that decides.
    this.#patterns = [
      ...(lists.throttle ?? []).map(compile('throttle')),
      ...(lists.flake ?? []).map(compile('flake')),
    ]
    this.#groups = groupsOf(this.#patterns)
  }

  get isEmpty(): boolean {
    return this.#patterns.length === 0
  }

  /** Which patterns occur in a text, by index: throttle patterns first, in the order of the config. */
  matchAll(text: string): number[] {
    return this.#groups
      .flatMap(({ set, members }) => set.match(text).map(id => members[id] as number))
      .sort((a, b) => a - b)
  }

  /**
   * The pattern that decides, or undefined. Each text is searched by itself, so that `^` and `$` are the beginning
   * and the end of a stream. A throttle pattern beats every flake pattern, in whichever text it stands.
   */
  match(...texts: readonly string[]): SignatureMatch | undefined {
    let best: { index: number; text: string } | undefined
    for (const whole of texts) {
      // The line break that ends the last line is not a part of what was said.
      const text = trim(whole, TEXT_LIMIT).trimEnd()
      const index = this.matchAll(text)[0]
      if (index !== undefined && (!best || index < best.index)) best = { index, text }
    }
    if (!best) return undefined
    const { list, source, regex } = this.#patterns[best.index] as Pattern
    const place = regex.matcher(best.text)
    place.find()
    return { list, pattern: source, text: best.text, start: place.start(), end: place.end() }
  }
}

function compilePattern(provider: string, source: string): RE2JS {
  if (source.trim() === '')
    throw new SignatureCompileError(
      provider,
      source,
      'it is empty or blank and would match nearly everything',
    )
  let regex: RE2JS
  try {
    regex = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE)
  } catch (error) {
    throw new SignatureCompileError(provider, source, reasonOf(error))
  }
  if (SHORT_TEXTS.some(text => matchesNothing(regex, text))) {
    throw new SignatureCompileError(
      provider,
      source,
      'it matches without a single character and so would match everything; leave out *, ? or an empty alternative',
    )
  }
  if (regex.programSize() > LARGEST_PROGRAM) {
    throw new SignatureCompileError(
      provider,
      source,
      `it expands to ${regex.programSize()} steps, at most ${LARGEST_PROGRAM} are allowed; use smaller {n,m} counts`,
    )
  }
  return regex
}

/** Between them they have every place where a pattern can match nothing: an end, a word's edge, none of these. */
const SHORT_TEXTS = ['', 'a', 'ab', ' - ']

function matchesNothing(regex: RE2JS, text: string): boolean {
  const place = regex.matcher(text)
  return place.find() && place.start() === place.end()
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  // The matcher puts its own flags before what the operator wrote.
  const reason = text.replace(/^error parsing regexp: /, '').replace('`(?i)', '`')
  return /Perl syntax|\(\?[=!<]/.test(text)
    ? `${reason} (look-around and back-references are not supported: matching has to stay linear)`
    : reason
}

function groupsOf(patterns: readonly Pattern[]): { set: RE2Set; members: number[] }[] {
  const small = patterns.flatMap(({ regex }, index) => (regex.programSize() <= LARGE_PROGRAM ? [index] : []))
  const large = patterns.flatMap(({ regex }, index) => (regex.programSize() > LARGE_PROGRAM ? [[index]] : []))
  return [small, ...large]
    .filter(members => members.length > 0)
    .map(members => {
      const set = new RE2Set(RE2Set.UNANCHORED, RE2JS.CASE_INSENSITIVE)
      for (const index of members) set.add((patterns[index] as Pattern).source)
      set.compile()
      return { set, members }
    })
}

/** Signatures by provider. */
export type SignatureMap = ReadonlyMap<string, Signatures>

/**
 * Compiles the signatures of all providers. A provider whose lists are both empty counts as not configured.
 * Throws {@link SignatureCompileError} on the first pattern that cannot be used.
 */
export function buildSignatureMap(
  providers: Iterable<{ id: string; error_signatures?: SignatureLists | undefined }>,
): Map<string, Signatures> {
  const map = new Map<string, Signatures>()
  for (const { id, error_signatures } of providers) {
    const signatures = new Signatures(id, error_signatures ?? {})
    if (!signatures.isEmpty) map.set(id, signatures)
  }
  return map
}

/** What an operator's signatures say of a text; `unknown` without signatures, never a guess. */
export function matchSignatures(text: string, compiled?: Signatures): SignatureAnswer {
  return compiled?.match(text)?.list ?? 'unknown'
}

/** As {@link matchSignatures}, for output captured line by line; no lines are `unknown`. */
export function classifyLines(lines: readonly string[], compiled?: Signatures): SignatureAnswer {
  return lines.length === 0 ? 'unknown' : matchSignatures(lines.join('\n'), compiled)
}

/**
 * The key by which Mulligan's ancestors (the systems that its presets are named after) collapse unknown failures:
 * provider and the first 20 characters, trimmed, in lower case. Kept for their tooling; a leading timestamp defeats it, which `Failure.fingerprint` does not suffer.
 */
export function unknownDedupeKey(provider: string, text: string): string {
  return `${provider}::${[...text.trim().toLowerCase()].slice(0, 20).join('')}`
}
