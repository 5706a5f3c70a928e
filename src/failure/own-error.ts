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
 * Where an error of ours carries what it means, so that it need not be read from its words: they name options,
 * limits and providers. A symbol, because no text and no JSON from outside can hold one; a registered one, because
 * two copies of this package may meet in one program.
 */
export const MEANING: unique symbol = Symbol.for('mulligan.meaning') as never

/** What an error of ours means. */
export interface OwnMeaning {
  kind: FailureKind
  /** Default the class that the kind belongs to. */
  class?: FailureClass
  /** Default `none`: most of our errors are thrown before anything is begun. */
  effect?: Effect
}

/** An error of ours. A getter on its class, so that copies of the error still have it. */
export interface MeaningfulError extends Error {
  readonly [MEANING]: OwnMeaning
}

/** An argument or option that is wrong in the code that calls us: says what, and what would be right. */
export class WrongArgument extends TypeError implements MeaningfulError {
  get [MEANING](): OwnMeaning {
    return { kind: 'code_bug' }
  }
}

/** What an error means that carries a failure. */
export function meaningOf({ class: cls, kind, effect }: Failure): OwnMeaning {
  return { class: cls, kind, effect }
}

/** How many causes are looked into. */
const DEEPEST = 16

/**
 * What an error means that is ours, or that wraps one of ours. The outermost of ours decides: it has seen what it
 * wraps. Undefined for everything else. Never throws, and never runs a getter of anybody else.
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
    // What cannot be looked at is not ours.
  }
  return undefined
}

/** Why an error of ours is what it is. */
export const OWN_ERROR_WHY = 'the error is one of Mulligan itself, and says what it means'

/** The rule by which an error of ours decides. */
export function ruleOf({ kind, class: cls = classOfKind(kind), effect = 'none' }: OwnMeaning): KnownRule {
  return {
    id: `mulligan:${kind}`,
    class: cls,
    kind,
    effect,
    rank: 'cause',
    why: OWN_ERROR_WHY,
  }
}

function isMeaning(value: unknown): value is OwnMeaning {
  return typeof value === 'object' && value !== null && isFailureKind(String((value as OwnMeaning).kind))
}
