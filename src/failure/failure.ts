/** What kind of thing went wrong, in the order in which the default policy reads them. */
export type FailureClass = 'throttle' | 'transient' | 'timeout' | 'permanent' | 'rail' | 'aborted' | 'unknown'

/**
 * The closed list of kinds, under the class each belongs to by default. A rule may put a kind under another
 * class where the evidence says so: a name that cannot exist is `permanent/dns`.
 */
const HOME = {
  throttle: ['rate_limit', 'usage_limit', 'quota', 'billing'],
  transient: [
    'overloaded',
    'server_error',
    'network',
    'dns',
    'eof',
    'stream_cut',
    'bad_json',
    'lock',
    'conflict',
    'loading',
    'runner_lost',
  ],
  timeout: ['timeout', 'gateway_timeout', 'connect_timeout', 'stall'],
  permanent: [
    'auth',
    'forbidden',
    'invalid_request',
    'request_too_large',
    'context_overflow',
    'output_limit',
    'content_policy',
    'not_found',
    'model_not_found',
    'binary_not_found',
    'version_mismatch',
    'invalid_version',
    'config',
    'dangerous_not_allowed',
    'invalid_tool_pattern',
    'not_a_git_repo',
    'git_unavailable',
    'permission',
    'unsupported_region',
    'tls',
    'disk_full',
    'code_bug',
  ],
  rail: ['max_turns', 'max_budget', 'max_steps', 'max_tokens', 'max_size'],
  aborted: ['aborted'],
  unknown: ['unknown', 'command_failed', 'crash', 'out_of_memory', 'killed', 'io'],
} as const satisfies Record<FailureClass, readonly string[]>

/** What exactly went wrong: a closed list, grouped by class in {@link KINDS}. */
export type FailureKind = (typeof HOME)[FailureClass][number]

/** Kinds that also occur under another class, where the evidence says so. */
const ELSEWHERE: Partial<Record<FailureClass, readonly FailureKind[]>> = {
  // Out of descriptors or processes: it passes.
  transient: ['io'],
  // What only a person resolves: a name that is taken or does not exist, a machine that is too small, a broken file.
  permanent: ['conflict', 'dns', 'out_of_memory', 'lock', 'bad_json', 'server_error', 'billing'],
}

/** Every kind that occurs under a class, those that are at home there first. */
export const KINDS = Object.fromEntries(
  Object.entries(HOME).map(([cls, kinds]) => [cls, [...kinds, ...(ELSEWHERE[cls as FailureClass] ?? [])]]),
) as unknown as Readonly<Record<FailureClass, readonly FailureKind[]>>

/** Every kind once. */
export const ALL_KINDS: readonly FailureKind[] = Object.values(HOME).flat()

/** Whether the failed call may already have done something: `none` only if nothing can have been accepted. */
export type Effect = 'none' | 'maybe' | 'done'

/** What a refused login or permission is about: the account or key as a whole, or one thing that it may not touch. */
export type RefusalScope = 'account' | 'resource'

/**
 * What Mulligan itself did or noticed that makes this failure, where nothing that was thrown, returned or printed does.
 * Decide by this, never by the id of a rule: `gate` no provider admitted a try; `timer` the caller's time was up;
 * `abort` the caller called it off; `rail` a limit of the caller stopped it; `lost_session` the session that was to be
 * continued is gone.
 */
export type FailureOrigin = 'gate' | 'timer' | 'abort' | 'rail' | 'lost_session'

/** Why a failure was classified as it was: the deciding rule, where it matched, and what matched and lost. */
export interface Evidence {
  rule: string
  where: string
  excerpt: string
  lost: { rule: string; excerpt: string }[]
}

/** Anything that went wrong, classified. All text in it is redacted. */
export interface Failure {
  class: FailureClass
  kind: FailureKind
  effect: Effect
  provider?: string
  model?: string
  /** One line, redacted. */
  message: string
  status?: number
  code?: string
  /** How a run of an agent ended, in the words of the `oban` policy, such as `result_error`. Absent elsewhere. */
  outcome?: string
  /** What made this failure, where that is something that Mulligan did or noticed itself. */
  origin?: FailureOrigin
  /** For `auth` and `forbidden`: what was refused. Absent where nothing says. */
  scope?: RefusalScope
  exitCode?: number
  signal?: string
  /** How long the provider asked to wait, in milliseconds. */
  retryAfterMs?: number
  /** When it can work again, in epoch milliseconds; wins where both are known. */
  resetAt?: number
  /** What the failed call already spent. */
  sessionId?: string
  costUsd?: number
  turns?: number
  evidence: Evidence
  /** Groups the same failure of a provider across time: `fp1:` and a hash of its shape. */
  fingerprint: string
  /** Up to 8 KB of redacted text of the failure, for backtests. */
  text?: string
}

const CLASS_OF_KIND = new Map<string, FailureClass>(
  Object.entries(HOME).flatMap(([cls, kinds]) => kinds.map(kind => [kind, cls as FailureClass] as const)),
)

/** The class a kind stands under by default. */
export function classOfKind(kind: FailureKind): FailureClass {
  return CLASS_OF_KIND.get(kind) as FailureClass
}

export function isFailureKind(word: string): word is FailureKind {
  return CLASS_OF_KIND.has(word)
}

export function isFailureClass(word: string): word is FailureClass {
  return Object.hasOwn(HOME, word)
}
