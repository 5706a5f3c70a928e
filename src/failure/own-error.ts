import type { KnownRule } from './catalogue/compiled-form.ts'
import {
  classOfKind,
  type Effect,
  type Failure,
  type FailureClass,
  type FailureKind,
  isFailureKind,
} from './failure.ts'

/**
 * The property under which Mulligan's errors state their meaning, because their words name options, limits and
 * providers and would mislead the classifier. A symbol, so no outside text or JSON can forge it; a registered one, so
 * two copies of this package in one program understand each other.
 */
export const MEANING: unique symbol = Symbol.for('mulligan.meaning') as never

/** What one of Mulligan's errors means. */
export interface OwnMeaning {
  kind: FailureKind
  /** Default: the class the kind belongs to. */
  class?: FailureClass
  /** Default: `none`, because most of these errors are thrown before any work begins. */
  effect?: Effect
  /** HTTP status of the answer to a request that is refused with it. Default: it is no answer, but our fault. */
  status?: number
  /** The code of that answer. Default: the error's own. */
  code?: string
}

/** What the codes of an error mean, each with the answer to a request that is refused with it. */
export type CodeMeanings = Readonly<Record<string, OwnMeaning & { status: number }>>

/** One of Mulligan's errors, with a code for programs and a message for people. */
export abstract class CodedError<Code extends string> extends Error implements MeaningfulError {
  readonly code: Code

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  abstract get [MEANING](): OwnMeaning
}

/**
 * Whether it is an error with this name and a code. Checks the name, because another copy of this package has other
 * classes.
 */
export function isCoded(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name && 'code' in error
}

/** One of Mulligan's errors. The meaning is a getter on the class, so copies of the error keep it. */
export interface MeaningfulError extends Error {
  readonly [MEANING]: OwnMeaning
}

/** A wrong argument or option in the calling code. The message says what is wrong and what would be right. */
export class WrongArgument extends TypeError implements MeaningfulError {
  get [MEANING](): OwnMeaning {
    return { kind: 'code_bug' }
  }
}

/** The meaning of an error that carries a failure. */
export function meaningOf({ class: cls, kind, effect }: Failure): OwnMeaning {
  return { class: cls, kind, effect }
}

/**
 * Thrown by work, or by a probe, that classified its failure where all the evidence was. The failure is used
 * unchanged.
 */
export class KnownFailure extends Error implements MeaningfulError {
  override name = 'KnownFailure'
  readonly code = 'KNOWN_FAILURE'
  readonly failure: Failure

  /** @param cause what the failure was classified from */
  constructor(failure: Failure, cause?: unknown) {
    super(failure.message, { cause })
    this.failure = failure
  }

  get [MEANING](): OwnMeaning {
    return meaningOf(this.failure)
  }
}

/** True for an error of Mulligan. Fields of an answer that were copied onto another error do not make it one. */
export function isOwnError(error: unknown): error is MeaningfulError {
  return error instanceof Error && isMeaning((error as Partial<MeaningfulError>)[MEANING])
}

/** True for a {@link KnownFailure}, including one from another copy of this package. */
export function isKnownFailure(error: unknown): error is KnownFailure {
  try {
    return isOwnError(error) && (error as { code?: unknown }).code === 'KNOWN_FAILURE' && 'failure' in error
  } catch {
    // Work may throw a value that cannot be inspected.
    return false
  }
}

/** How many causes to follow. */
const DEEPEST = 16

/**
 * The meaning of an error that is Mulligan's or wraps one of Mulligan's. The outermost one decides, because it has seen
 * what it wraps. Undefined for all other errors. Never throws, and never runs a foreign getter.
 */
export function ownMeaning(input: unknown): OwnMeaning | undefined {
  try {
    let error = input
    for (let depth = 0; depth < DEEPEST && error instanceof Error; depth++) {
      const meaning: unknown = (error as Partial<MeaningfulError>)[MEANING]
      if (isMeaning(meaning)) return meaning
      if (!Object.hasOwn(error, 'cause')) return undefined
      error = Object.getOwnPropertyDescriptor(error, 'cause')?.value
    }
  } catch {
    // An error that cannot be inspected is not one of Mulligan's.
  }
  return undefined
}

/** The `why` of rules for Mulligan's own errors. */
export const OWN_ERROR_WHY = 'an error of Mulligan itself, which states its own meaning'

/** The rule under which one of Mulligan's errors is classified. */
export function ruleOf({ kind, class: cls = classOfKind(kind), effect = 'none' }: OwnMeaning): KnownRule {
  return {
    id: `mulligan:${kind}`,
    class: cls,
    kind,
    effect,
    rank: 'specific',
    why: OWN_ERROR_WHY,
  }
}

function isMeaning(value: unknown): value is OwnMeaning {
  return typeof value === 'object' && value !== null && isFailureKind(String((value as OwnMeaning).kind))
}
