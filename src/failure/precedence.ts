import type { KnownRule } from './catalogue/compiled-form.ts'
import type { Rank } from './catalogue/rule.ts'
import type { FailureKind } from './failure.ts'

/** Where a condition of a rule was met. */
export interface Match {
  where: string
  /** The text it matched in; what it matched is from `at` to `end`. */
  source: string
  /** The later of two equal ones is the final error. */
  at: number
  end: number
  depth: number
  /** Met in a field or a status, not in a text. */
  structured: boolean
  /** Came from a retry banner or noise. */
  late: boolean
}

/** A rule that matched, and where. */
export interface Candidate extends Match {
  rule: KnownRule
}

const RANKS: readonly Rank[] = ['told', 'cause', 'named', 'said', 'hint', 'last']

/**
 * Within one rank and one depth, the first of these wins. Money first, because no waiting fills an account;
 * then what makes this very request impossible; then the throttles; then what a person has to fix; then what
 * passes by itself, the precise before the vague; then what merely says that something went wrong.
 */
const KIND_ORDER = everyKind([
  'billing',
  'context_overflow',
  'output_limit',
  'request_too_large',
  'content_policy',
  'unsupported_region',
  'usage_limit',
  'quota',
  'rate_limit',
  'model_not_found',
  'max_budget',
  'max_turns',
  'max_steps',
  'max_tokens',
  'max_size',
  'loading',
  'overloaded',
  'tls',
  'auth',
  'forbidden',
  'dangerous_not_allowed',
  'invalid_tool_pattern',
  'not_a_git_repo',
  'git_unavailable',
  'binary_not_found',
  'version_mismatch',
  'invalid_version',
  'disk_full',
  'out_of_memory',
  'lock',
  'conflict',
  'connect_timeout',
  'gateway_timeout',
  'stall',
  'timeout',
  'dns',
  'runner_lost',
  'stream_cut',
  'eof',
  'network',
  'bad_json',
  'server_error',
  'config',
  'permission',
  'not_found',
  'invalid_request',
  'code_bug',
  'aborted',
  'crash',
  'killed',
  'io',
  'command_failed',
  'unknown',
])

/** Does not compile where a kind is missing: one without a place would win or lose by chance. */
function everyKind<const T extends readonly FailureKind[]>(
  order: Exclude<FailureKind, T[number]> extends never ? T : readonly [Exclude<FailureKind, T[number]>],
): readonly FailureKind[] {
  return order
}

const RANK_NUMBER = new Map(RANKS.map((rank, index) => [rank, index]))
const KIND_NUMBER = new Map<FailureKind, number>(KIND_ORDER.map((kind, index) => [kind, index]))

/** Orders candidates, the decisive one first. Total: equal candidates are told apart by their rule's id. */
export function byPrecedence(a: Candidate, b: Candidate): number {
  return (
    Number(a.late) - Number(b.late) ||
    (RANK_NUMBER.get(a.rule.rank) as number) - (RANK_NUMBER.get(b.rule.rank) as number) ||
    b.depth - a.depth ||
    (KIND_NUMBER.get(a.rule.kind) as number) - (KIND_NUMBER.get(b.rule.kind) as number) ||
    Number(b.structured) - Number(a.structured) ||
    b.at - a.at ||
    (a.rule.id < b.rule.id ? -1 : a.rule.id > b.rule.id ? 1 : 0)
  )
}
