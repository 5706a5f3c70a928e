import { RANKS } from './catalogue/rank.ts'
import { type FailureKind, isRetryable } from './failure.ts'
import type { Candidate } from './precedence.ts'

/** Refusals that pass on their own, or whose meaning depends on who says them. */
const PASSING = new Set(['402', '408', '409', '420', '421', '423', '425', '429', '460', '498', '499'])

/** Fields in which other protocols keep their numbers. */
const NOT_HTTP = /(?:^|\.)(?:code|responseCode)$/

/** The statuses that a text can mean by a number. */
const COMMON = new Set(['400', '401', '403', '404', '410', '413', '422'])

/**
 * Structure before words. A status or typed code that blames the request is overturned only by a specific cause: money, a
 * limit with its unit, an overload of the service. Other words that sound as if a retry would help ("capacity", "timeout",
 * "connection") describe the mistake in the request. So do those beside a report of a bug: there they are names in the code.
 *
 * @param candidates in order of precedence
 */
export function structureFirst(candidates: Candidate[]): Candidate[] {
  if (candidates.length < 2) return candidates
  const [winner] = candidates as [Candidate, ...Candidate[]]
  if (winner.late || !isWords(winner) || !isRetryable(winner.rule)) return candidates
  const blame = candidates.find(candidate => blamesRequest(candidate, winner))
  if (!blame || isCause(winner)) return candidates
  const isOutOfContext = (candidate: Candidate) =>
    isWords(candidate) && isRetryable(candidate.rule) && !isCause(candidate)
  const before = candidates.slice(0, candidates.indexOf(blame))
  const overturned = before.filter(isOutOfContext)
  return candidates
    .filter(candidate => !overturned.includes(candidate))
    .toSpliced(before.length - overturned.length + 1, 0, ...overturned)
}

/** True for a status or a code that refuses the request as it is. One inside a text speaks only for its own line. */
function blamesRequest(candidate: Candidate, winner: Candidate): boolean {
  const { rule, structured, quoted, late, source, where } = candidate
  if (late) return false
  if (!structured) return isBugBeside(candidate, winner) || isRuleBeside(candidate, winner)
  // A 429 refuses too: what broke behind it is no reason to call it broken.
  if (source === '429') return !quoted && rule.class === 'throttle' && winner.rule.class !== 'throttle'
  if (rule.class !== 'permanent') return false
  const isStatus = /^4\d\d$/.test(source)
  if (isStatus && (PASSING.has(source) || NOT_HTTP.test(where))) return false
  if (!RANKS[rule.rank].stands && !isStatus) return source === winner.source && MISTAKE.test(source)
  if (!quoted) return true
  return isStatus && COMMON.has(source) && where === winner.where && linesOf(winner).includes(source)
}

/** True for a report of a bug on the line of the words that won: `TypeError: unexpected keyword argument 'connect_timeout'`. */
function isBugBeside({ rule, where, source, at }: Candidate, winner: Candidate): boolean {
  if (rule.kind !== 'code_bug' || rule.rank !== 'general' || where !== winner.where) return false
  const [from, to] = at < winner.at ? [at, winner.at] : [winner.at, at]
  return source === winner.source && !source.slice(from, to).includes('\n')
}

/** True for a rule for a field, in the sentence of the words that won: `capacity must be between 1 and 10`. */
function isRuleBeside({ rule, where, source, at }: Candidate, winner: Candidate): boolean {
  if (rule.kind !== 'invalid_request' || rule.rank !== 'general') return false
  if (where !== winner.where || source !== winner.source) return false
  return at > winner.at && isOneClause(source.slice(winner.end, at))
}

function isOneClause(between: string): boolean {
  return between.length < LONGEST_CLAUSE && !/[.,;:!?\n]|\b(?:and|but|because|while)\b/.test(between)
}

const LONGEST_CLAUSE = 40

/** A code that blames what it names: `InvalidCapacity` is a wrong number, not a lack of machines. */
const MISTAKE = /^(?:Invalid|Illegal|Malformed|Missing|Unsupported)(?=[A-Z_])/i

/** What follows a word that is part of a longer name: `RateLimit.check/2`, `Overloaded::retry`. */
const NAME_GOES_ON = /^\w*(?:\.|::|->|#)\w/

function isCause(candidate: Candidate): boolean {
  const { source, end, structured } = candidate
  if (structured && candidate.rule.rank === 'general' && MISTAKE.test(source)) return false
  return isSpecific(candidate) && (structured || !NAME_GOES_ON.test(source.slice(end, end + 80)))
}

/** The line of a match and the one above: advice follows a refusal on a line of its own. */
function linesOf({ source, at, end }: Candidate): string {
  const stop = source.indexOf('\n', end)
  const start = source.lastIndexOf('\n', at - 1)
  const above = start < 1 ? -1 : source.lastIndexOf('\n', start - 1)
  return source.slice(above + 1, stop < 0 ? source.length : stop)
}

/** True for a text, or for a phrase found inside a code or a quoted field. */
function isWords({ structured, quoted, rule, source }: Candidate): boolean {
  if (!structured) return true
  if (quoted) return /^5\d\d$/.test(source)
  return rule.rank === 'general' && !/^\d+$/.test(source)
}

/** What a limit counts. Without one of these, "limit reached" may be about anything that a product limits. */
const UNIT =
  /\b(?:rate[- ]?limit\w*|requests?|tokens?|api|usage|quota|calls?|quer(?:y|ies)|prompts?|messages?|qps|rpm|tpm|rps|throttl\w*|concurren\w+|parallel|traffic|inference|generations?|completions?|credits?|spend\w*|plan|subscription|bandwidth|your (?:hourly|daily|weekly|monthly|session|\d+-hour))\b|[^\p{Script=Latin}\p{P}\p{N}\s]{2}|anfragen|requêtes|solicitudes|requisições|solicitações|richieste|zapytań|żądań|verzoeken|aanvragen|förfrågningar|anrop|anmodninger|forespørsler|pyynt|istek|talep|požadav|požiadav|kérés|cereri|yêu cầu|permintaan|zahtjeva|licituds|kahilingan/iu

/** That it is used up now, or comes back. */
const USED_UP =
  /\b(?:exceed\w*|reached|hit|exhausted|used (?:up|all)|over|too (?:many|fast|quickly|frequent\w*|often|much)|limited|throttl\w*|slow down|out of|try again|retry|resets?|regain|replenish\w*|renew\w*|refill\w*|wait|per (?:second|minute|hour|day|week|month)|insufficient|depleted)\b|[^\p{Script=Latin}\p{P}\p{N}\s]{2}|zu viele|trop de|demasiad|muitas|troppe|zbyt wiele|te veel|för många|for mange|liian (?:monta|paljon)|çok fazla|příliš mnoho|príliš veľa|túl sok|prea multe|quá nhiều|terlalu banyak|previše|massa sol|masyadong/iu

/** Who can be overloaded. */
const SERVICE =
  /\b(?:models?|servers?|services?|engines?|systems?|api|providers?|backends?|gpus?|instances?|deployments?|endpoints?|workers?|clusters?|nodes?|functions?|upstreams?|we|our|traffic|demand|requests?)\b|[^\p{Script=Latin}\p{P}\p{N}\s]{2}/iu

/** Work of a machine that holds a thing for a moment. A person who holds it, or a thing that is merely taken, is no such cause. */
const HELD =
  /\b(?:another|other|concurrent|previous|pending|ongoing|running) (?:operations?|process(?:es)?|transactions?|requests?|jobs?|deployments?|updates?|upgrades?|installs?|migrations?|builds?|runs?)\b/i

/** A thing that is changing right now, and may be asked again. */
const CHANGING = /\bbeing \w+ed\b[^\n]{0,40}\b(?:try again|retry)\b/i

const OF_SERVICE: ReadonlySet<FailureKind> = new Set(['overloaded', 'loading', 'runner_lost'])

/** Families of general phrases. All others know the sentences of one vendor or program. */
const GENERAL =
  /^(?:abroad|absent|access|capacity|libc|limit|local|local_model|money|net|os|rail|request|server|stopped|time)\./

/** How a refused request is explained: a rule for its fields, or what is wrong with one. */
const VALIDATION =
  /\b(?:must|should|shall|may (?:not|only)|(?:cannot|can(?:'|’)t) be (?:empty|blank|null|set|changed|used|negative|zero|more|less|greater|longer|combined)|not (?:a|an|allowed|valid|supported|permitted|recogni[sz]ed)|invalid (?:value|parameter|argument|request|field|format|type|number|date|range|input|option|name)|malformed|expect(?:s|ed)|required|between|greater than|less than|at least|at most|fields?|parameters?|propert(?:y|ies)|arguments?|attributes?|columns?|characters?|schema|enum|syntax|unsupported|specify)\b/i

const SENTENCE_END = /[.!?](?=\s|$)|\n/

/** True for a cause that overturns what a status or a typed code says: it is about the caller's use, or the service's load. */
function isSpecific({ rule, source, at, end, structured, quoted, coded }: Candidate): boolean {
  if (structured) return !quoted || !/^5\d\d$/.test(source)
  const { proves } = RANKS[rule.rank]
  if (coded || (proves && rule.rank !== 'told' && !GENERAL.test(rule.id))) return true
  if (!proves) return rule.kind === 'conflict' && CHANGING.test(source.slice(at, end + REACH))
  if (VALIDATION.test(sentenceOf(source, at, end))) return false
  const around = source.slice(Math.max(0, at - REACH), end + REACH).replaceAll('_', ' ')
  if (rule.class === 'throttle') return UNIT.test(around) && USED_UP.test(around)
  if (rule.kind === 'lock') return HELD.test(around)
  return OF_SERVICE.has(rule.kind) && SERVICE.test(around)
}

const LONGEST_SENTENCE = 300
/** How far around a match its unit may stand. */
const REACH = 200

function sentenceOf(source: string, at: number, end: number): string {
  const before = source
    .slice(Math.max(0, at - LONGEST_SENTENCE), at)
    .split(SENTENCE_END)
    .at(-1) as string
  const [after] = source.slice(end, end + LONGEST_SENTENCE).split(SENTENCE_END) as [string]
  return before + source.slice(at, end) + after
}
