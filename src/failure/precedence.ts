import type { KnownRule } from './catalogue/compiled-form.ts'
import { RANKS } from './catalogue/rank.ts'
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

/**
 * Within one rank and one depth, the first of these wins. Money first, because waiting does not fill an account; then
 * what makes this very request impossible; then throttles; then what a person must fix; then what passes on its own, the
 * precise before the vague; then what merely says that something went wrong.
 */
export const KIND_ORDER = everyKind([
  'max_budget',
  'billing',
  'context_overflow',
  'output_limit',
  'request_too_large',
  'content_policy',
  'unsupported_region',
  'max_turns',
  'max_steps',
  'disk_full',
  'usage_limit',
  'quota',
  'rate_limit',
  'model_not_found',
  'max_tokens',
  'max_size',
  'out_of_memory',
  'loading',
  'overloaded',
  'tls',
  'binary_not_found',
  'auth',
  'forbidden',
  'dangerous_not_allowed',
  'invalid_tool_pattern',
  'not_a_git_repo',
  'git_unavailable',
  'version_mismatch',
  'invalid_version',
  'lock',
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
  'conflict',
  'server_error',
  'config',
  'permission',
  'not_found',
  'code_bug',
  'invalid_request',
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

const RANK_NUMBER = new Map(Object.keys(RANKS).map((rank, index) => [rank, index]))
const KIND_NUMBER = new Map<FailureKind, number>(KIND_ORDER.map((kind, index) => [kind, index]))

/** What decides between two matches, the first difference counts. The last step makes the order total. */
export const STEPS: readonly { readonly first: string; compare(a: Candidate, b: Candidate): number }[] = [
  { first: 'the final error before a retry banner', compare: (a, b) => Number(a.late) - Number(b.late) },
  {
    first: 'the stronger rank',
    compare: (a, b) => numberOf(RANK_NUMBER, a.rule.rank) - numberOf(RANK_NUMBER, b.rule.rank),
  },
  { first: 'the deeper cause before its wrapper', compare: (a, b) => b.depth - a.depth },
  {
    first: 'the graver kind',
    compare: (a, b) => numberOf(KIND_NUMBER, a.rule.kind) - numberOf(KIND_NUMBER, b.rule.kind),
  },
  { first: 'a field before a text', compare: (a, b) => Number(b.structured) - Number(a.structured) },
  { first: 'the later in a text', compare: (a, b) => b.at - a.at },
  {
    first: 'the rule that comes first by name',
    compare: (a, b) => (a.rule.id < b.rule.id ? -1 : a.rule.id > b.rule.id ? 1 : 0),
  },
]

function numberOf(numbers: ReadonlyMap<string, number>, name: string): number {
  return numbers.get(name) as number
}

/** Orders candidates, the deciding one first. */
export function byPrecedence(a: Candidate, b: Candidate): number {
  for (const { compare } of STEPS) {
    const order = compare(a, b)
    if (order !== 0) return order
  }
  return 0
}
