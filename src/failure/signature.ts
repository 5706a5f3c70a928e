import type { RE2JS } from 're2js'
import type { FailureLabel } from './label.ts'
import { compilePattern, PatternSet } from './signature-pattern.ts'
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

/** How a failure is recognised, and what it then is: all that a label can say. */
export interface Signature extends FailureLabel {
  /** Recognises it in its text: RE2 syntax, unanchored, case-insensitive. Default none. */
  pattern?: string | undefined
  /** Recognises exactly the failures with this fingerprint. Default none. */
  fingerprint?: string | undefined
  /** Only failures of this provider. Default of all. */
  provider?: string | undefined
}

/** The pattern that decided, and where it matched. */
export interface SignatureMatch {
  /** What it says that the failure is. */
  label: FailureLabel
  pattern: string
  /** It comes from a label, not from a config: the label of the very fingerprint is more exact. */
  isLearned: boolean
  /** The text it matched in, and which part of it. */
  text: string
  start: number
  end: number
}

interface Pattern {
  source: string
  regex: RE2JS
  label: FailureLabel
}

const LABEL_OF_LIST: Record<SignatureList, FailureLabel> = {
  throttle: { class: 'throttle' },
  flake: { class: 'transient' },
}

/**
 * Compiled signatures of one provider. Patterns run as automata in one pass, so no pattern can make matching worse
 * than linear in the text. The first that matches decides: those of the lists, those of the config, learned ones; in
 * each of them throttles first, so that a limit is never retried blindly, then those of one provider.
 */
export class Signatures {
  readonly provider: string
  readonly #patterns: Pattern[]
  readonly #learnedFrom: number
  readonly #set: PatternSet
  readonly #fingerprints: ReadonlyMap<string, Signature>
  readonly #sources: readonly [SignatureLists, readonly Signature[]]

  /**
   * @param signatures of this provider or of all, from the config; default none
   * @param learned the same, from labels; default none
   */
  constructor(
    provider: string,
    lists: SignatureLists,
    signatures: readonly Signature[] = [],
    learned: readonly Signature[] = [],
  ) {
    this.provider = provider
    this.#sources = [lists, signatures]
    const own = (all: readonly Signature[]) =>
      all.filter(({ provider: of }) => of === undefined || of === provider).sort(byCaution)
    const compiled = ({ pattern, ...label }: Signature): Pattern[] =>
      pattern === undefined ? [] : [{ source: pattern, regex: compilePattern(provider, pattern), label }]
    const ofList = (list: SignatureList) =>
      (lists[list] ?? []).flatMap(pattern => compiled({ pattern, ...LABEL_OF_LIST[list] }))
    const ofConfig = own(signatures)
    const ofLabels = own(learned)
    this.#patterns = [...ofList('throttle'), ...ofList('flake'), ...ofConfig.flatMap(compiled)]
    this.#learnedFrom = this.#patterns.length
    this.#patterns.push(...ofLabels.flatMap(compiled))
    this.#set = new PatternSet(this.#patterns)
    // Config over labels, this provider over all: the first of each fingerprint stays.
    this.#fingerprints = new Map(
      [...ofConfig, ...ofLabels]
        .toReversed()
        .flatMap(signature =>
          signature.fingerprint === undefined ? [] : [[signature.fingerprint, signature] as const],
        ),
    )
  }

  /** The same, with these from labels in place of those that it has. */
  withLearned(learned: readonly Signature[]): Signatures {
    return new Signatures(this.provider, ...this.#sources, learned)
  }

  get isEmpty(): boolean {
    return this.#patterns.length === 0 && !this.hasFingerprints
  }

  /** Whether any of them recognises fingerprints. */
  get hasFingerprints(): boolean {
    return this.#fingerprints.size > 0
  }

  /** Which patterns occur in a text, by index, in the order in which they decide. */
  matchAll(text: string): number[] {
    return this.#set.matchAll(text)
  }

  /**
   * The pattern that decides, or undefined. Each text is searched by itself, so that `^` and `$` are the beginning
   * and the end of a stream. A throttle pattern of the lists beats every other, in whichever text it stands.
   */
  match(...texts: readonly string[]): SignatureMatch | undefined {
    if (this.#patterns.length === 0) return undefined
    let best: { index: number; text: string } | undefined
    for (const whole of texts) {
      // The line break that ends the last line is not a part of what was said.
      const text = trim(whole, TEXT_LIMIT).trimEnd()
      const index = this.matchAll(text)[0]
      if (index !== undefined && (!best || index < best.index)) best = { index, text }
    }
    if (!best) return undefined
    const { label, source, regex } = this.#patterns[best.index] as Pattern
    const place = regex.matcher(best.text)
    place.find()
    const isLearned = best.index >= this.#learnedFrom
    return { label, pattern: source, isLearned, text: best.text, start: place.start(), end: place.end() }
  }

  /** What the failures with this fingerprint are, or undefined. */
  labelled(fingerprint: string): FailureLabel | undefined {
    return this.#fingerprints.get(fingerprint)
  }
}

/** Throttles first; then what was said of one provider before what was said of all. Otherwise as given. */
function byCaution(a: Signature, b: Signature): number {
  const of = ({ class: cls, provider }: Signature) =>
    (cls === 'throttle' ? 0 : 2) + (provider === undefined ? 1 : 0)
  return of(a) - of(b)
}

/** What an operator's lists say of a text; `unknown` without signatures, never a guess. */
export function matchSignatures(text: string, compiled?: Signatures): SignatureAnswer {
  switch (compiled?.match(text)?.label.class) {
    case 'throttle':
      return 'throttle'
    case 'transient':
      return 'flake'
    default:
      return 'unknown'
  }
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
