import { present } from '../src/failure/present.ts'
import { REDACTED, redact } from '../src/failure/redact.ts'
import type { FaultName } from './fault/table.ts'
import type { Reply } from './reply.ts'
import type { LabRequest, Vendor } from './request.ts'
import type { Sent } from './send.ts'

/** What was asked and answered. Keys and tokens are redacted before anything is kept. */
export interface LabRecord {
  number: number
  /** When the request was complete, in epoch milliseconds. */
  at: number
  vendor: Vendor
  method: string
  path: string
  /** What was asked for: a model API, or `tokens`, `models`, `nothing`. */
  asked: string
  model: string
  streams: boolean
  /** The fault that struck, if any. */
  fault?: FaultName
  /** Status of the answer; undefined if none was sent. */
  status?: number
  /** How sending ended; undefined while it goes on. */
  sent?: Sent
  durationMs?: number
  request: { headers: Record<string, string>; body: string }
  answer: { headers: Record<string, string>; body: string }
}

/** How many characters of each body are kept. */
const KEPT = 16_384

const SECRET_HEADERS = new Set([
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'cookie',
  'proxy-authorization',
])

export function recordOf(
  request: LabRequest,
  reply: Reply,
  fault: FaultName | undefined,
  at: number,
): LabRecord {
  const { wants } = request
  const isSilent = reply.delivery?.kind === 'hang' || reply.delivery?.kind === 'reset'
  return {
    number: request.number,
    at,
    vendor: request.vendor,
    method: request.method,
    path: redactPath(request.path),
    asked: wants.what === 'answer' ? wants.api : wants.what,
    model: redact(request.model).slice(0, 200),
    streams: wants.what === 'answer' && wants.framing !== 'json',
    ...present({ fault }),
    ...(isSilent ? {} : { status: reply.status }),
    request: { headers: redactHeaders(request.headers), body: kept(request.text) },
    answer: isSilent ? { headers: {}, body: '' } : { headers: reply.headers, body: kept(sentParts(reply)) },
  }
}

/** A record in JSON. */
export function recordToJson(record: LabRecord): Record<string, unknown> {
  const { at, durationMs, ...rest } = record
  return {
    ...rest,
    at: new Date(at).toISOString(),
    ...present({ duration_ms: durationMs }),
  }
}

function sentParts({ parts, delivery }: Reply): string {
  const count = delivery?.kind === 'cut' || delivery?.kind === 'stall' ? delivery.parts : parts.length
  return parts.slice(0, count).join('')
}

/** Redacts before cutting, because half a key would not be recognised; does not read what will not be kept. */
function kept(text: string): string {
  const clean = redact(text.slice(0, 4 * KEPT))
  return text.length > KEPT ? `${clean.slice(0, KEPT)}… (${text.length} characters in all)` : clean
}

function redactPath(path: string): string {
  return redact(path.replace(/([?&](?:key|api_key|token|access_token)=)[^&]+/gi, `$1${REDACTED}`)).slice(
    0,
    1_000,
  )
}

function redactHeaders(headers: LabRequest['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SECRET_HEADERS.has(name) ? REDACTED : redact(Array.isArray(value) ? value.join(', ') : (value ?? '')),
    ]),
  )
}
