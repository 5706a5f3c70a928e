import { type Failure, type FailureClass, type FailureKind, KINDS } from './failure.ts'

/** What a failure can be called: every class but the one that says that nobody knows. */
export type LabelClass = Exclude<FailureClass, 'unknown'>

/** What somebody says a failure is: a signature of the config, or a person who labelled an unknown one. */
export interface FailureLabel {
  class: LabelClass
  /** One that occurs under the class. Default what the catalogue says if it agrees on the class, else the plainest. */
  kind?: FailureKind | undefined
  /** Whether the failed try may have done something. Default what the catalogue says if it agrees, else `maybe`. */
  effect?: 'none' | 'maybe' | undefined
  /** How long to wait where the failure itself does not say, in milliseconds. Only for throttle and transient. */
  retryAfterMs?: number | undefined
}

/** What a label can say, most common first. */
export const LABEL_CLASSES = Object.keys(KINDS).filter(cls => cls !== 'unknown') as LabelClass[]

/** Longer waits count as unstated wherever a failure states them; 35 days. */
export const LONGEST_LABEL_WAIT_MS = 35 * 86_400_000

/** A kind for a class that was given alone: the least that can be said. */
export const PLAIN_KIND: Record<FailureClass, FailureKind> = {
  throttle: 'rate_limit',
  transient: 'server_error',
  timeout: 'timeout',
  permanent: 'invalid_request',
  rail: 'max_budget',
  aborted: 'aborted',
  unknown: 'unknown',
}

/** What is wrong with the parts of a label taken together, and which part it is; undefined if nothing is. */
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
 * A failure as the label has it. What the label leaves open stays, as far as it fits the class.
 * @param now epoch milliseconds; undefined if not known
 * @param hasWorked something is known to have been done, whatever the label says
 */
export function withLabel(
  failure: Failure,
  label: FailureLabel,
  { now, hasWorked }: { now: number | undefined; hasWorked: boolean },
): Failure {
  const { class: cls } = label
  const kind = label.kind ?? (KINDS[cls].includes(failure.kind) ? failure.kind : PLAIN_KIND[cls])
  // What a rule of another class knows of the effect does not count here; facts of the failure itself do.
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

/** What the failure says itself is more exact than what is said of all that read like it. */
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
