import { RANKS } from './catalogue/rank.ts'
import type { FailureKind } from './failure.ts'
import type { Candidate } from './precedence.ts'

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

const OF_SERVICE: ReadonlySet<FailureKind> = new Set(['overloaded', 'loading', 'runner_lost'])

/** Families of general phrases. All others know the sentences of one vendor or program. */
const GENERAL =
  /^(?:abroad|absent|access|capacity|libc|limit|local|local_model|money|net|os|rail|request|server|stopped|time)\./

/** How a refused request is explained: a rule for its fields, or what is wrong with one. */
const VALIDATION =
  /\b(?:must|should|shall|may (?:not|only)|(?:cannot|can(?:'|’)t) be (?:empty|blank|null|set|changed|used|negative|zero|more|less|greater|longer|combined)|not (?:a|an|allowed|valid|supported|permitted|recogni[sz]ed)|invalid (?:value|parameter|argument|request|field|format|type|number|date|range|input|option|name)|malformed|expect(?:s|ed)|required|between|greater than|less than|at least|at most|fields?|parameters?|propert(?:y|ies)|arguments?|attributes?|columns?|characters?|schema|enum|syntax|unsupported|specify)\b/i

const SENTENCE_END = /[.!?](?=\s|$)|\n/

/** True for a cause that overturns what a status or a typed code says: it is about the caller's use, or the service's load. */
export function isSpecific({ rule, source, at, end, structured, quoted, coded }: Candidate): boolean {
  if (structured) return !quoted || !/^5\d\d$/.test(source)
  const { proves } = RANKS[rule.rank]
  if (coded || (proves && rule.rank !== 'told' && !GENERAL.test(rule.id))) return true
  if (!proves) return false
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
