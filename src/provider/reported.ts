import { readHeaders } from '../failure/observe/headers.ts'
import { isResponse, returnedField } from '../failure/observe/read.ts'
import { present } from '../failure/present.ts'
import { resetOf } from '../failure/times/headers.ts'
import { settle } from '../failure/times/wait.ts'
import { levelOf, NEAR, type Unit, type WindowUse } from './window-use.ts'

/** What an answer says about the vendor's own windows. */
export interface Reported {
  use: WindowUse
  /** True for a plan's window, which applies to the whole quota; a rate limit applies to the model asked. */
  isOfQuota: boolean
}

/**
 * Reads the vendor's windows from a successful answer: a Response or anything with headers, headers themselves, a rate-limit
 * event of claude, or a finished process whose output contains such events. Empty if nothing is said.
 */
export function reportedIn(input: unknown, now: number): Reported[] {
  if (typeof input !== 'object' || input === null) return []
  if (isResponse(input)) return fromHeaders(input.headers, now)
  if (returnedField(input, 'type') === 'rate_limit_event')
    return fromEvent(returnedField(input, 'rate_limit_info'), now)
  const stdout = returnedField(input, 'stdout')
  if (typeof stdout === 'string') return fromOutput(stdout, now)
  return fromHeaders(headersIn(input), now)
}

function headersIn(answer: object): unknown {
  const headers = returnedField(answer, 'headers')
  if (typeof headers === 'object' && headers !== null) return headers
  const response = returnedField(answer, 'response')
  if (typeof response === 'object' && response !== null) return returnedField(response, 'headers')
  return answer
}

type Headers = ReadonlyMap<string, string>

/** Headers that say something about a window. Most answers have none, and reading on would cost every call. */
const OF_WINDOWS = /ratelimit|^x-codex-/

function fromHeaders(given: unknown, now: number): Reported[] {
  const found = readHeaders(given, OF_WINDOWS)
  if (found.length === 0) return []
  const headers = new Map(found)
  return [...buckets(headers, now), ...planWindows(headers, now), ...codexWindows(headers, now)]
}

const REMAINING =
  /^(?:x-ratelimit-remaining(?<after>-.+)?|(?:anthropic|x)-ratelimit-(?<before>.+)-remaining)$/

/** Buckets of requests or tokens: limit, remaining and reset under one name. */
function buckets(headers: Headers, now: number): Reported[] {
  const found: Reported[] = []
  for (const [header, value] of headers) {
    const match = REMAINING.exec(header)
    const remaining = numberIn(value)
    if (!match || remaining === undefined) continue
    const limit = numberIn(headers.get(header.replace('remaining', 'limit')))
    // Some APIs state a limit of 0 to say that there is none.
    if (limit === undefined || limit <= 0) continue
    const name = match.groups?.after?.slice(1) ?? match.groups?.before ?? 'requests'
    const used = Math.max(0, limit - remaining)
    const until = settle(resetOf(headers.get(header.replace('remaining', 'reset'))), now)?.resetAt
    found.push({ use: useOf(name, unitOf(name), used, limit, until), isOfQuota: false })
  }
  return found
}

/** A subscription's windows: the used share of each, and the vendor's status for it. */
function planWindows(headers: Headers, now: number): Reported[] {
  const found: Reported[] = []
  for (const [header, value] of headers) {
    const name = /^anthropic-ratelimit-unified-(.+)-utilization$/.exec(header)?.[1]
    const share = numberIn(value)
    if (name === undefined || share === undefined) continue
    const prefix = `anthropic-ratelimit-unified-${name}`
    const until = settle(resetOf(headers.get(`${prefix}-reset`)), now)?.resetAt
    const isPaidBeyond = headers.get('anthropic-ratelimit-unified-overage-status') === 'allowed'
    const status = headers.get(`${prefix}-status`) ?? ''
    found.push({ use: planUse(name, share, status, isPaidBeyond, until), isOfQuota: true })
  }
  return found
}

function codexWindows(headers: Headers, now: number): Reported[] {
  return ['primary', 'secondary'].flatMap(name => {
    const percent = numberIn(headers.get(`x-codex-${name}-used-percent`))
    if (percent === undefined) return []
    const until = settle(resetOf(headers.get(`x-codex-${name}-reset-at`)), now)?.resetAt
    return [{ use: useOf(name, 'share', percent / 100, 1, until), isOfQuota: true }]
  })
}

/** An event that claude prints on a change; its times are epoch seconds. */
function fromEvent(info: unknown, now: number): Reported[] {
  if (typeof info !== 'object' || info === null) return []
  const { status, resetsAt, rateLimitType, overageStatus, utilization } = info as Record<string, unknown>
  if (typeof status !== 'string' || typeof rateLimitType !== 'string' || rateLimitType === 'overage')
    return []
  const until = typeof resetsAt === 'number' ? settle(resetOf(String(resetsAt)), now)?.resetAt : undefined
  const share = typeof utilization === 'number' ? utilization : (SHARES[status] ?? 0)
  const isPaidBeyond = overageStatus === 'allowed' || overageStatus === 'allowed_warning'
  // The weekly window of one model family says nothing about the others.
  const isOfQuota = !/_(?:opus|sonnet|haiku)$/.test(rateLimitType)
  return [{ use: planUse(rateLimitType, share, status, isPaidBeyond, until), isOfQuota }]
}

/** The share that a status implies if none is stated. */
const SHARES: Record<string, number> = { allowed: 0, allowed_warning: NEAR, rejected: 1 }

function fromOutput(stdout: string, now: number): Reported[] {
  if (!stdout.includes('"rate_limit_event"')) return []
  return stdout.split('\n').flatMap(line => {
    if (!line.includes('"rate_limit_event"')) return []
    try {
      const event = JSON.parse(line) as { type?: unknown; rate_limit_info?: unknown } | null
      return event?.type === 'rate_limit_event' ? fromEvent(event.rate_limit_info, now) : []
    } catch {
      // A truncated line is not an event.
      return []
    }
  })
}

/** A closed window may still be served from paid extra usage: then it counts as nearly used up. */
function planUse(
  window: string,
  share: number,
  status: string,
  isPaidBeyond: boolean,
  until: number | undefined,
): WindowUse {
  const plain = useOf(window, 'share', share, 1, until)
  const isShut = status === 'rejected' || (status === '' && plain.level === 'exhausted')
  if (isShut) return { ...plain, level: isPaidBeyond ? 'near' : 'exhausted' }
  // The vendor still admits, even at a high share.
  const isWarned = status === 'allowed_warning' || plain.level !== 'within'
  return { ...plain, level: isWarned ? 'near' : 'within' }
}

function useOf(
  window: string,
  unit: Unit,
  used: number,
  limit: number,
  until: number | undefined,
): WindowUse {
  const level = levelOf(used, limit)
  return {
    window,
    unit,
    used,
    limit,
    level,
    source: 'reported',
    ...present({ until }),
  }
}

function unitOf(name: string): Unit {
  return name.includes('token') ? 'tokens' : 'requests'
}

function numberIn(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*\d{1,16}(?:\.\d{1,12})?\s*$/.test(value) ? Number(value) : undefined
}
