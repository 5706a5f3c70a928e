import type { KnownRule } from './catalogue/compiled-form.ts'
import type { Rank } from './catalogue/rule.ts'
import type { FailureKind } from './failure.ts'

/** Where a rule's condition was met. */
export interface Match {
  where: string
  /** The text it matched in. The match runs from `at` to `end`. */
  source: string
  /** Of two equal matches, the later one is the final error. */
  at: number
  end: number
  depth: number
  /** True if it matched a field or a status, not free text. */
  structured: boolean
  /** True if it came from a retry banner or noise. */
  late: boolean
  /** True if a field or status that matched stood inside a text. */
  quoted?: boolean | undefined
  /** True for a text whose rule also demands a code, which is there. */
  coded?: boolean | undefined
}

/** A rule that matched, and where. */
export interface Candidate extends Match {
  rule: KnownRule
}

const RANKS: readonly Rank[] = ['told', 'cause', 'named', 'said', 'hint', 'last']

/**
 * Within one rank and one depth, the first of these wins. Money first, because waiting does not fill an account; then
 * what makes this very request impossible; then throttles; then what a person must fix; then what passes on its own, the
 * precise before the vague; then what merely says that something went wrong.
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

/** Fails to compile if a kind is missing: a kind without a place would win or lose by chance. */
function everyKind<const T extends readonly FailureKind[]>(
  order: Exclude<FailureKind, T[number]> extends never ? T : readonly [Exclude<FailureKind, T[number]>],
): readonly FailureKind[] {
  return order
}

const RANK_NUMBER = new Map(RANKS.map((rank, index) => [rank, index]))
const KIND_NUMBER = new Map<FailureKind, number>(KIND_ORDER.map((kind, index) => [kind, index]))

/** Orders candidates, the deciding one first. A total order: ties are broken by rule id. */
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
