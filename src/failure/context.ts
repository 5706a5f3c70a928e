import type { Classifier, ClassifierProblem, Classifying } from './classifier.ts'
import { type FailureKind, KINDS } from './failure.ts'
import type { Signatures } from './signature.ts'
import type { SignatureMap } from './signature-map.ts'

/** What the caller knows that the input does not say. All fields are optional. */
export interface ClassifyContext extends Classifying {
  /** The provider that failed: an account at a vendor, a CLI, a service. Selects signatures and settles ambiguous codes. */
  provider?: string | undefined
  model?: string | undefined
  /** The current time: a `Date` or epoch milliseconds. Without it, absolute times ("resets 3am") give no delay. */
  now?: number | Date | undefined
  /** IANA time zone for clock times that name none. Without it, such times give no delay. */
  timeZone?: string | undefined
  /** The operator's signatures: for this provider, or for all providers by name. */
  signatures?: Signatures | SignatureMap | undefined
  /** What the caller itself did. Takes precedence over everything the input says. */
  own?:
    | {
        /** The caller aborted the call. */
        aborted?: boolean | undefined
        /** The caller's timer fired. */
        timedOut?: boolean | undefined
        /** The caller's own limit that stopped the call. */
        rail?: RailKind | undefined
      }
    | undefined
  /** True if the failure is of a call to a model: output that misses a schema is then the model's. Default: by the provider. */
  ofModel?: boolean | undefined
  /** True if the input was returned, not thrown: then only failure shapes count, never free text. Default false. */
  returned?: boolean | undefined
  /** Asked before the built-in answer is used, except about what the caller itself did. Default: none. */
  classifier?: Classifier | undefined
  /** Called when the classifier gives no usable answer. Default: none. */
  onClassifierProblem?: ((problem: ClassifierProblem) => void) | undefined
}

export type RailKind = Extract<FailureKind, `max_${string}`>

/**
 * The usable fields of a context. A field of the wrong type counts as not given, because a caller's mistake must not hide
 * the failure being classified.
 */
export function checkedContext(given: ClassifyContext): UsableContext {
  try {
    if (typeof given !== 'object' || given === null) return {}
    return new CheckedContext(given)
  } catch {
    return {}
  }
}

/** A context as the classifier uses it: `now` is a number. */
export interface UsableContext extends ClassifyContext {
  now?: number | undefined
}

class CheckedContext implements UsableContext {
  readonly provider: string | undefined
  readonly model: string | undefined
  readonly now: number | undefined
  readonly signatures: ClassifyContext['signatures']
  readonly own: ClassifyContext['own']
  readonly ofModel: boolean
  readonly returned: boolean
  readonly #given: ClassifyContext

  constructor(given: ClassifyContext) {
    const { provider, model, now, signatures, own, ofModel, returned } = given
    this.provider = textOrNothing(provider)
    this.model = textOrNothing(model)
    this.now = epochOf(now)
    this.signatures = isSignatures(signatures) || isSignatureMap(signatures) ? signatures : undefined
    this.own = typeof own === 'object' && own !== null ? checkedOwn(own) : undefined
    this.ofModel = ofModel === true
    this.returned = returned === true
    this.#given = given
  }

  /** Read lazily: finding the machine's time zone is slow. */
  get timeZone(): string | undefined {
    return zoneOrNothing(this.#given)
  }
}

/** Undefined for an invalid date. */
function epochOf(now: unknown): number | undefined {
  const epoch = now instanceof Date ? now.getTime() : now
  return typeof epoch === 'number' && !Number.isNaN(epoch) ? epoch : undefined
}

function checkedOwn({
  aborted,
  timedOut,
  rail,
}: NonNullable<ClassifyContext['own']>): ClassifyContext['own'] {
  const isRail = (KINDS.rail as readonly unknown[]).includes(rail)
  return { aborted: aborted === true, timedOut: timedOut === true, rail: isRail ? rail : undefined }
}

function zoneOrNothing(given: ClassifyContext): string | undefined {
  try {
    return textOrNothing(given.timeZone)
  } catch {
    return undefined
  }
}

/** Duck-typed, because two copies of this package may be loaded in one program. */
export function isSignatures(value: unknown): value is Signatures {
  if (value === undefined) return false
  const { match, matchAll } = (value ?? {}) as Partial<Signatures>
  return typeof match === 'function' && typeof matchAll === 'function'
}

function isSignatureMap(value: unknown): value is SignatureMap {
  return value !== undefined && typeof ((value ?? {}) as Partial<SignatureMap>).get === 'function'
}

function textOrNothing(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
