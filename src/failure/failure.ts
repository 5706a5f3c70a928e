import type { Speaker } from './speaker.ts'

/** The seven classes of failure, in the order in which the default policy reads them. */
export type FailureClass = 'throttle' | 'transient' | 'timeout' | 'permanent' | 'rail' | 'aborted' | 'unknown'

/**
 * The closed list of kinds, each under its default class. A rule may put a kind under another class when the evidence
 * says so: a host name that cannot exist is `permanent/dns`.
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

/** Kinds that also occur under another class, when the evidence says so. */
const ELSEWHERE: Partial<Record<FailureClass, readonly FailureKind[]>> = {
  // Out of file descriptors or processes: this passes.
  transient: ['io'],
  // Only a person can fix these: a name that is taken or does not exist, a machine too small, a broken file.
  permanent: ['conflict', 'dns', 'out_of_memory', 'lock', 'bad_json', 'server_error', 'billing'],
}

/** Every kind that occurs under a class; the kinds whose default class it is come first. */
export const KINDS = Object.fromEntries(
  Object.entries(HOME).map(([cls, kinds]) => [cls, [...kinds, ...(ELSEWHERE[cls as FailureClass] ?? [])]]),
) as unknown as Readonly<Record<FailureClass, readonly FailureKind[]>>

/** All kinds, without duplicates. */
export const ALL_KINDS: readonly FailureKind[] = Object.values(HOME).flat()

/** Whether the failed call may already have done something. `none` only if the request cannot have been accepted. */
export type Effect = 'none' | 'maybe' | 'done'

/** What a login or permission error refuses: the whole account or key, or one resource it may not touch. */
export type RefusalScope = 'account' | 'resource'

/**
 * What Mulligan itself did or noticed, for failures that no thrown, returned or printed text explains. Branch on this,
 * never on a rule id. `gate`: no provider admitted a try. `timer`: the caller's time ran out. `abort`: the caller
 * aborted. `rail`: a limit set by the caller stopped the call. `lost_session`: the session to resume is gone.
 */
export type FailureOrigin = 'gate' | 'timer' | 'abort' | 'rail' | 'lost_session'

/**
 * What an agent's run did, as its driver saw it: `said`: its model answered; `read`: it also used tools that only read;
 * `acted`: anything else.
 */
export type Deed = 'said' | 'read' | 'acted'

/** Why a failure was classified this way: the deciding rule, where it matched, and the rules that matched and lost. */
export interface Evidence {
  rule: string
  where: string
  excerpt: string
  /** Who says so. Absent in failures that were not classified, or recorded by an earlier version. */
  speaker?: Speaker
  /** A stronger speaker that says the same, if there is one. */
  backer?: Speaker
  /** Who stated the time, if one is stated. */
  clock?: Speaker
  lost: { rule: string; excerpt: string; speaker?: Speaker }[]
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
  /** How an agent run ended, in the vocabulary of the `oban` policy, such as `result_error`. Only set for agent runs. */
  outcome?: string
  /** Set when Mulligan itself caused or noticed this failure. */
  origin?: FailureOrigin
  /** For `auth` and `forbidden`: what was refused. Absent if the failure does not say. */
  scope?: RefusalScope
  exitCode?: number
  signal?: string
  /** How long the provider asked to wait, in milliseconds. */
  retryAfterMs?: number
  /** When the provider works again, in epoch milliseconds. Takes precedence over `retryAfterMs`. */
  resetAt?: number
  /** The session that the failed call leaves, and what the call already spent. */
  sessionId?: string
  costUsd?: number
  turns?: number
  /** What the run did, with the earlier runs of its session. Only set for agent runs; absent if it did nothing. */
  did?: Deed
  evidence: Evidence
  /** Groups occurrences of the same failure of a provider: `fp2:` plus a hash of what carries the failure. */
  fingerprint: string
  /** Up to 8 KB of the failure's text, redacted; used for backtests. */
  text?: string
}

const CLASS_OF_KIND = new Map<string, FailureClass>(
  Object.entries(HOME).flatMap(([cls, kinds]) => kinds.map(kind => [kind, cls as FailureClass] as const)),
)

/** The default class of a kind. */
export function classOfKind(kind: FailureKind): FailureClass {
  return CLASS_OF_KIND.get(kind) as FailureClass
}

/** Whether trying again later, without any change, can help. */
export function isRetryable({ class: cls, kind }: Pick<Failure, 'class' | 'kind'>): boolean {
  return cls === 'transient' || cls === 'timeout' || (cls === 'throttle' && kind !== 'billing')
}

export function isFailureKind(word: string): word is FailureKind {
  return CLASS_OF_KIND.has(word)
}

export function isFailureClass(word: string): word is FailureClass {
  return Object.hasOwn(HOME, word)
}
