import type { RE2JS } from 're2js'
import type { FailureLabel } from './label.ts'
import { compilePattern, PatternSet } from './signature-pattern.ts'
import { TEXT_LIMIT, trim } from './text/cut.ts'

/** The config list a pattern belongs to. `flake` is the config's word for transient. */
export type SignatureList = 'throttle' | 'flake'

/** What an operator's signatures say about a text: the list that matched, or `unknown`. */
export type SignatureAnswer = SignatureList | 'unknown'

/** An operator's patterns for one provider, as written in config. */
export interface SignatureLists {
  /** Patterns for "used too much, not now". Default: none. */
  throttle?: readonly string[]
  /** Patterns for "likely to succeed if repeated soon". Default: none. */
  flake?: readonly string[]
}

/** Recognises a failure, and labels it. */
export interface Signature extends FailureLabel {
  /** Matches the failure's text: RE2 syntax, unanchored, case-insensitive. Default: none. */
  pattern?: string | undefined
  /** Matches only failures with this fingerprint. Default: none. */
  fingerprint?: string | undefined
  /** Matches only failures of this provider. Default: all providers. */
  provider?: string | undefined
}

/** The pattern that decided, and where it matched. */
export interface SignatureMatch {
  /** What the pattern says the failure is. */
  label: FailureLabel
  pattern: string
  /** True if the pattern comes from a label, not from the config. A label of the exact fingerprint then takes precedence. */
  isLearned: boolean
  /** The text that matched, with `start` and `end` of the match. */
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
 * Compiled signatures of one provider. Patterns run as automata in one pass, so matching stays linear in the text for
 * any pattern. The first match decides: the config's lists, then the config's signatures, then learned ones. Within
 * each group throttles come first, so a limit is never retried blindly; then signatures of this provider.
 */
export class Signatures {
  readonly provider: string
  readonly #patterns: Pattern[]
  readonly #learnedFrom: number
  readonly #set: PatternSet
  readonly #fingerprints: ReadonlyMap<string, Signature>
  readonly #hasFirst: boolean
  readonly #sources: readonly [SignatureLists, readonly Signature[]]

  /**
   * @param signatures from the config, for this provider or for all; default none
   * @param learned from labels, for this provider or for all; default none
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
    // The first signature of each fingerprint wins: config before labels, this provider before all.
    this.#fingerprints = new Map(
      [...ofConfig, ...ofLabels]
        .toReversed()
        .flatMap(signature =>
          signature.fingerprint === undefined ? [] : [[signature.fingerprint, signature] as const],
        ),
    )
    this.#hasFirst = [...this.#fingerprints.keys()].some(fingerprint => fingerprint.startsWith('fp1:'))
  }

  /** A copy with other learned signatures. */
  withLearned(learned: readonly Signature[]): Signatures {
    return new Signatures(this.provider, ...this.#sources, learned)
  }

  get isEmpty(): boolean {
    return this.#patterns.length === 0 && !this.hasFingerprints
  }

  /** Whether any signature matches by fingerprint. */
  get hasFingerprints(): boolean {
    return this.#fingerprints.size > 0
  }

  /** Whether any matches a fingerprint of the first form. */
  get hasFirstFingerprints(): boolean {
    return this.#hasFirst
  }

  /** The patterns that occur in a text, by index, in order of precedence. */
  matchAll(text: string): number[] {
    return this.#set.matchAll(text)
  }

  /**
   * The pattern that decides, or undefined. Each text is searched separately, so `^` and `$` mean the start and end of
   * a stream. A throttle pattern from the lists beats every other, in any of the texts.
   */
  match(...texts: readonly string[]): SignatureMatch | undefined {
    if (this.#patterns.length === 0) return undefined
    let best: { index: number; text: string } | undefined
    for (const whole of texts) {
      // A trailing line break must not keep `$` from matching.
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

  /** The label for failures with this fingerprint, or undefined. */
  labelled(fingerprint: string): FailureLabel | undefined {
    return this.#fingerprints.get(fingerprint)
  }
}

/** Throttles first, then signatures of one provider before those of all; otherwise in the given order. */
function byCaution(a: Signature, b: Signature): number {
  const of = ({ class: cls, provider }: Signature) =>
    (cls === 'throttle' ? 0 : 2) + (provider === undefined ? 1 : 0)
  return of(a) - of(b)
}

/** What an operator's signatures say about a text; `unknown` if none match or there are none. */
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

/** Like {@link matchSignatures}, for output captured line by line. No lines count as `unknown`. */
export function classifyLines(lines: readonly string[], compiled?: Signatures): SignatureAnswer {
  return lines.length === 0 ? 'unknown' : matchSignatures(lines.join('\n'), compiled)
}

/**
 * The key by which the systems that the presets are named after group unknown failures: the provider and the first 20
 * characters, trimmed, in lower case. Kept for their tooling. A leading timestamp defeats it; use
 * `Failure.fingerprint` instead.
 */
export function unknownDedupeKey(provider: string, text: string): string {
  return `${provider}::${[...text.trim().toLowerCase()].slice(0, 20).join('')}`
}
