import { type Failure, type FailureClass, type FailureKind, KINDS } from './failure.ts'

/** The classes a label can name: all but `unknown`. */
export type LabelClass = Exclude<FailureClass, 'unknown'>

/** What a signature or a person says a failure is. */
export interface FailureLabel {
  class: LabelClass
  /** A kind that occurs under the class. Default: the catalogue's kind if it agrees on the class, else the most general. */
  kind?: FailureKind | undefined
  /** Whether the failed try may have done something. Default: the catalogue's effect if it agrees on the class, else `maybe`. */
  effect?: 'none' | 'maybe' | undefined
  /** How long to wait if the failure states no time, in milliseconds. Only for throttle and transient. */
  retryAfterMs?: number | undefined
}

/** The classes a label can name, most common first. */
export const LABEL_CLASSES = Object.keys(KINDS).filter(cls => cls !== 'unknown') as LabelClass[]

/** The longest wait a label can state: 35 days. Longer waits count as unstated everywhere. */
export const LONGEST_LABEL_WAIT_MS = 35 * 86_400_000

/** The most general kind of each class, used when only the class is given. */
export const PLAIN_KIND: Record<FailureClass, FailureKind> = {
  throttle: 'rate_limit',
  transient: 'server_error',
  timeout: 'timeout',
  permanent: 'invalid_request',
  rail: 'max_budget',
  aborted: 'aborted',
  unknown: 'unknown',
}

/** Finds a label whose parts contradict each other: which part is wrong, and why. Undefined if none is. */
export function problemOfLabel({
  class: cls,
  kind,
  retryAfterMs,
}: FailureLabel): { part: 'kind' | 'retryAfterMs'; problem: string } | undefined {
  if (kind !== undefined && !KINDS[cls].includes(kind))
    return {
      part: 'kind',
      problem: `${kind} does not occur under ${cls}; kinds of ${cls}: ${KINDS[cls].join(', ')}`,
    }
  if (retryAfterMs === undefined) return undefined
  if (!hasWait(cls))
    return { part: 'retryAfterMs', problem: `only a throttle or a transient failure has a wait, not ${cls}` }
  return retryAfterMs >= 0 && retryAfterMs <= LONGEST_LABEL_WAIT_MS
    ? undefined
    : { part: 'retryAfterMs', problem: 'a wait is at most 35 days' }
}

/**
 * Applies a label to a failure. Fields that the label leaves open keep their value if it fits the class.
 * @param now epoch milliseconds; undefined if not known
 * @param hasWorked true if the try is known to have done something; then the effect is never `none`
 */
export function withLabel(
  failure: Failure,
  label: FailureLabel,
  { now, hasWorked }: { now: number | undefined; hasWorked: boolean },
): Failure {
  const { class: cls } = label
  const kind = label.kind ?? (KINDS[cls].includes(failure.kind) ? failure.kind : PLAIN_KIND[cls])
  // A rule of another class says nothing about the effect here.
  const isOpen = failure.class !== cls && failure.class !== 'unknown'
  const effect = label.effect ?? (isOpen ? 'maybe' : failure.effect)
  const { scope, retryAfterMs, resetAt, ...rest } = failure
  return {
    ...rest,
    class: cls,
    kind,
    effect: hasWorked && effect === 'none' ? 'maybe' : effect,
    ...(scope !== undefined && kind === failure.kind ? { scope } : {}),
    ...(hasWait(cls) ? waitOfLabel(failure, label, now) : {}),
  }
}

function hasWait(cls: FailureClass): boolean {
  return cls === 'throttle' || cls === 'transient'
}

/** A wait stated by the failure itself is more exact than one given for all failures like it. */
function waitOfLabel(
  { retryAfterMs, resetAt }: Failure,
  label: FailureLabel,
  now: number | undefined,
): Pick<Failure, 'retryAfterMs' | 'resetAt'> {
  const isStated = retryAfterMs !== undefined || resetAt !== undefined
  const waitMs = isStated ? retryAfterMs : label.retryAfterMs
  const until = isStated || waitMs === undefined || now === undefined ? resetAt : now + waitMs
  return {
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    ...(until === undefined ? {} : { resetAt: until }),
  }
}
