import type { FailureKind, RefusalScope } from './failure.ts'

/** What the scope of a refusal is read from. */
export interface Refused {
  kind: FailureKind
  status?: number | undefined
  /** What the deciding rule knows. */
  known?: RefusalScope | undefined
  /** The message, and the code that came with it. */
  said: string
}

const THING =
  'documents?|files?|folders?|director(?:y|ies)|pages?|records?|rows?|objects?|buckets?|blobs?|repos?|repositor(?:y|ies)|branch(?:es)?|commits?|issues?|pull requests?|merge requests?|tickets?|channels?|threads?|messages?|conversations?|chats?|datasets?|tables?|schemas?|databases?|collections?|topics?|queues?|items?|entr(?:y|ies)|invoices?|orders?|calendars?|events?|sheets?|spreadsheets?|boards?|cards?|notes?|photos?|images?|videos?|attachments?|comments?|secrets?|gists?|packages?|containers?|instances?|namespaces?'

/** The login may not touch one thing: an action, then the thing. */
const OF_THING = new RegExp(
  `\\b(?:access|permissions?|permitted|allowed|authori[sz]ed|denied|forbidden|rights?|privileges?|may not)\\b[^.;\\n]{0,80}?\\b(?:${THING})\\b`,
)
const THING_REFUSES = new RegExp(
  `\\b(?:${THING})\\b[^.;\\n]{0,60}?\\b(?:is|are|was|has been)\\b[^.;\\n]{0,20}?\\b(?:forbidden|private|restricted|protected|archived|read only|read-only|not accessible|not shared|off limits|denied)\\b`,
)
const OF_SOMETHING = /\b(?:resources?|operations?|actions?|endpoints?|urls?|paths?|routes?|methods?)\b/
/** Part of what an account can use. The account has other parts, so it is not refused as a whole; nor is this one resource. */
const OF_PART = /\b(?:models?|features?|betas?|tools?|products?)\b/
const NOT_ACCESSIBLE = /\bresource not accessible\b/

const HOLDER =
  'accounts?|organi[sz]ations?|orgs?|workspaces?|tenants?|teams?|users?|members?|customers?|consumers?|subscriptions?|plans?|projects?|(?:api |access |secret |subscription )?keys?|tokens?|credentials?|logins?|licen[cs]es?|seats?'
const OUT_OF_FORCE =
  'suspended|disabled|deactivated|on hold|locked|banned|blocked|terminated|restricted|revoked|expired|inactive|cancell?ed|not active|no longer active|invalid|not valid|deleted|closed'

/** The account or key itself is suspended, disabled or expired. */
const HOLDER_IS_OUT = new RegExp(`\\b(?:${HOLDER})\\b[^.;\\n]{0,30}?\\b(?:${OUT_OF_FORCE})\\b`)
const OUT_HOLDER = new RegExp(`\\b(?:${OUT_OF_FORCE})\\s+(?:${HOLDER})\\b`)
const NOT_IN_PLAN =
  /\b(?:not (?:included|available|enabled) (?:in|on|with|for)|upgrade|requires?|need) (?:(?:your|a|an|the|this|to) )*(?:\w+ )?(?:plan|subscription|account|organi[sz]ation|licen[cs]e|tier)\b/
const MENTIONS_HOLDER = new RegExp(`\\b(?:${HOLDER})\\b`)

/**
 * Whether a refusal concerns the account or key, or one resource it may not touch; undefined if the text does not say.
 * The first blocks every call with that key, the second no other call.
 */
export function scopeOf({ kind, status, known, said }: Refused): RefusalScope | undefined {
  if (kind !== 'auth' && kind !== 'forbidden') return undefined
  if (known !== undefined) return known
  // A 401 asks who the caller is, not what for.
  if (kind === 'auth' && status === 401) return 'account'
  const text = said.toLowerCase().replaceAll('_', ' ')
  if (HOLDER_IS_OUT.test(text) || OUT_HOLDER.test(text) || NOT_IN_PLAN.test(text)) return 'account'
  if (NOT_ACCESSIBLE.test(text) || OF_THING.test(text) || THING_REFUSES.test(text)) return 'resource'
  if (kind === 'auth') return 'account'
  if (OF_PART.test(text)) return undefined
  const holder = MENTIONS_HOLDER.test(text)
  if (OF_SOMETHING.test(text)) return holder ? undefined : 'resource'
  return holder ? 'account' : undefined
}
