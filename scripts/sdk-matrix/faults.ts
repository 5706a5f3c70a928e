import { GOOD_STREAMS } from '../../test/failure/stream/streams.ts'
import { ANSWER, type SentEvent, type Vendor, type VendorName, WORDS } from './vendors.ts'

/** What the server does, in order. `hang` keeps the connection open and silent; `reset` breaks it. */
export type Step =
  | { head: { status: number; headers: Record<string, string> } }
  | { write: string }
  | 'end'
  | 'hang'
  | 'reset'

export interface Fault {
  name: string
  /** `stream` strikes within a stream, `other` by the whole answer. `good` must not be taken for a failure. */
  of: 'stream' | 'other' | 'good'
  /** Classes that name it rightly. */
  classes: readonly string[]
  /** True if words were delivered before it strikes: then nobody else may be asked. */
  isLate?: boolean
  /** What the answer's `finish` must say. */
  finish?: 'length' | 'filtered'
  /** The vendor in whose shape it is, if it is in no other. */
  only?: VendorName
  /** The words of a good stream, if they are not the usual ones. */
  answer?: string
  steps(vendor: Vendor): readonly Step[]
}

const SSE = { 'content-type': 'text/event-stream; charset=utf-8' }
const JSON_TYPE = { 'content-type': 'application/json' }
const HTML = { 'content-type': 'text/html; charset=utf-8' }
const PAGE =
  '<!doctype html><html><head><title>Sign in to the network</title></head><body>Log in</body></html>'

export function text({ event, data }: SentEvent): string {
  const name = event === undefined ? '' : `event: ${event}\n`
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

const begin: Step = { head: { status: 200, headers: SSE } }
const send = (...events: readonly SentEvent[]): Step[] => events.map(event => ({ write: text(event) }))
const words = (vendor: Vendor, most = WORDS.length) =>
  send(...WORDS.slice(0, most).map(word => vendor.word(word)))
const pings = ({ ping }: Vendor) => (ping ? send(ping, ping) : [{ write: ': ping\n\n' }])
const half = (vendor: Vendor): Step => ({ write: text(vendor.word('never seen')).slice(0, -20) })

/** A fault within a stream: what is sent after the status. */
const stream = (
  name: string,
  classes: readonly string[],
  rest: (vendor: Vendor) => readonly Step[],
  isLate = false,
): Fault => ({ name, of: 'stream', classes, isLate, steps: vendor => [begin, ...rest(vendor)] })

const TRANSIENT = ['transient']
const SLOW = ['timeout']
const THROTTLE = ['throttle']

const STREAM: readonly Fault[] = [
  stream('empty body', TRANSIENT, () => ['end']),
  stream('only comments', TRANSIENT, () => [{ write: ': ping\n\n: ping\n\n' }, 'end']),
  stream('only [DONE]', TRANSIENT, () => [{ write: 'data: [DONE]\n\n' }, 'end']),
  stream('cut after the frame', TRANSIENT, v => [...send(...v.head), 'end']),
  stream('cut after pings', TRANSIENT, v => [...send(...v.head), ...pings(v), 'end']),
  stream('cut in the frame', TRANSIENT, v => [...send(...v.head.slice(0, 1)), 'end']),
  stream('cut after one word', TRANSIENT, v => [...send(...v.head), ...words(v, 1), 'end'], true),
  stream('cut midway', TRANSIENT, v => [...send(...v.head), ...words(v, 3), 'end'], true),
  stream('cut before the finish', TRANSIENT, v => [...send(...v.head), ...words(v), 'end'], true),
  stream('cut within an event', TRANSIENT, v => [...send(...v.head), ...words(v, 2), half(v), 'end'], true),
  stream('cut within the first event', TRANSIENT, v => [
    { write: text(v.head[0] as SentEvent).slice(0, -20) },
    'end',
  ]),
  stream('reset after the headers', TRANSIENT, () => ['reset']),
  stream('reset after the frame', TRANSIENT, v => [...send(...v.head), 'reset']),
  stream('reset midway', TRANSIENT, v => [...send(...v.head), ...words(v, 3), 'reset'], true),
  stream(
    'reset within an event',
    TRANSIENT,
    v => [...send(...v.head), ...words(v, 2), half(v), 'reset'],
    true,
  ),
  stream('error first', TRANSIENT, v => [...send(v.error('overloaded')), 'end']),
  stream('error after the frame', TRANSIENT, v => [...send(...v.head, v.error('overloaded')), 'end']),
  stream('error after pings', TRANSIENT, v => [
    ...send(...v.head),
    ...pings(v),
    ...send(v.error('overloaded')),
    'end',
  ]),
  stream(
    'error midway',
    TRANSIENT,
    v => [...send(...v.head), ...words(v, 2), ...send(v.error('server_error')), 'end'],
    true,
  ),
  stream(
    'error midway, then silence',
    TRANSIENT,
    v => [...send(...v.head), ...words(v, 2), ...send(v.error('overloaded')), 'hang'],
    true,
  ),
  stream('limit first', THROTTLE, v => [...send(v.error('rate_limit')), 'end']),
  stream('limit after the frame', THROTTLE, v => [...send(...v.head, v.error('rate_limit')), 'end']),
  stream(
    'limit midway',
    THROTTLE,
    v => [...send(...v.head), ...words(v, 2), ...send(v.error('rate_limit')), 'end'],
    true,
  ),
  stream('failed after the frame', TRANSIENT, v => [...send(...v.head, ...v.failed), 'end']),
  stream(
    'failed at the end',
    TRANSIENT,
    v => [...send(...v.head), ...words(v), ...send(...v.failed), 'end'],
    true,
  ),
  stream(
    'an event that is not JSON',
    TRANSIENT,
    v => [
      ...send(...v.head),
      ...words(v, 2),
      { write: text(v.word('never seen')).replace(/\}\n\n$/, '\n\n') },
      ...send(...v.tail('stop')),
      'end',
    ],
    true,
  ),
  stream('silence after the headers', SLOW, () => ['hang']),
  stream('silence after the frame', SLOW, v => [...send(...v.head), ...pings(v), 'hang']),
  stream('silence midway', SLOW, v => [...send(...v.head), ...words(v, 2), 'hang'], true),
  {
    name: 'JSON error with 200',
    of: 'stream',
    classes: TRANSIENT,
    steps: v => whole(200, v.body('server_error', 'Internal server error', 500)),
  },
  {
    name: 'JSON error, called a stream',
    of: 'stream',
    classes: TRANSIENT,
    steps: v => whole(200, v.body('server_error', 'Internal server error', 500), SSE),
  },
  { name: 'page with 200', of: 'stream', classes: TRANSIENT, steps: () => whole(200, PAGE, HTML) },
  { name: 'page, called a stream', of: 'stream', classes: TRANSIENT, steps: () => whole(200, PAGE, SSE) },
]

function whole(status: number, body: object | string, headers: Record<string, string> = JSON_TYPE): Step[] {
  return [
    { head: { status, headers } },
    { write: typeof body === 'string' ? body : JSON.stringify(body) },
    'end',
  ]
}

const OF_GOOGLE: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

/** A refusal by status, in the vendor's words. */
const refusal = (
  name: string,
  status: number,
  classes: readonly string[],
  type: string,
  message: string,
  headers: Record<string, string> = {},
): Fault => ({
  name,
  of: 'other',
  classes,
  steps: vendor =>
    whole(
      status,
      vendor.body(vendor.provider === 'google' ? (OF_GOOGLE[status] ?? type) : type, message, status),
      { ...JSON_TYPE, ...headers },
    ),
})
const raw = (
  name: string,
  status: number,
  classes: readonly string[],
  body: string,
  headers = JSON_TYPE,
): Fault => ({
  name,
  of: 'other',
  classes,
  steps: () => whole(status, body, headers),
})
const PERMANENT = ['permanent']

const OTHER: readonly Fault[] = [
  refusal(
    '400 wrong request',
    400,
    PERMANENT,
    'invalid_request_error',
    'messages: at least one message is required',
  ),
  refusal(
    '400 context too long',
    400,
    PERMANENT,
    'invalid_request_error',
    'prompt is too long: 250000 tokens > 200000 maximum',
  ),
  refusal(
    '400 credit too low',
    400,
    THROTTLE,
    'invalid_request_error',
    'Your credit balance is too low to access the API. Please go to Plans & Billing.',
  ),
  refusal('401', 401, PERMANENT, 'authentication_error', 'invalid api key'),
  refusal('402', 402, THROTTLE, 'billing_error', 'Payment required: insufficient credits'),
  refusal('403', 403, PERMANENT, 'permission_error', 'Your account does not have access to this model'),
  refusal('404 model', 404, PERMANENT, 'not_found_error', 'model: no-such-model is not found'),
  refusal('408', 408, ['timeout', 'transient'], 'timeout_error', 'Request timed out'),
  refusal('409', 409, TRANSIENT, 'conflict_error', 'The resource is locked by another request, try again'),
  refusal('413', 413, PERMANENT, 'request_too_large', 'Request exceeds the maximum size'),
  refusal(
    '422',
    422,
    PERMANENT,
    'invalid_request_error',
    'Unprocessable: temperature must be between 0 and 2',
  ),
  refusal('429', 429, THROTTLE, 'rate_limit_error', 'Rate limit reached for requests per minute'),
  refusal('429 with a time', 429, THROTTLE, 'rate_limit_error', 'Rate limit reached', {
    'retry-after': '30',
  }),
  refusal(
    '429 quota',
    429,
    THROTTLE,
    'insufficient_quota',
    'You exceeded your current quota, please check your plan and billing details.',
  ),
  refusal('500', 500, TRANSIENT, 'api_error', 'Internal server error'),
  refusal('502', 502, TRANSIENT, 'api_error', 'Bad gateway'),
  refusal('503', 503, TRANSIENT, 'overloaded_error', 'The service is temporarily overloaded'),
  refusal('503 with a time', 503, ['transient', 'throttle'], 'overloaded_error', 'Overloaded', {
    'retry-after': '10',
  }),
  refusal('504', 504, ['timeout', 'transient'], 'timeout_error', 'Deadline exceeded'),
  refusal('529', 529, TRANSIENT, 'overloaded_error', 'Overloaded'),
  raw('500 page', 500, TRANSIENT, '<html><head><title>500 Internal Server Error</title></head></html>', HTML),
  raw(
    '502 page',
    502,
    TRANSIENT,
    '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>',
    HTML,
  ),
  raw('503 text', 503, TRANSIENT, 'no healthy upstream', { 'content-type': 'text/plain' }),
  raw(
    '504 page',
    504,
    ['timeout', 'transient'],
    '<html><head><title>504 Gateway Time-out</title></head></html>',
    HTML,
  ),
  raw('500 empty', 500, TRANSIENT, ''),
  raw('429 empty', 429, THROTTLE, ''),
  raw(
    '401 page',
    401,
    PERMANENT,
    '<html><head><title>401 Authorization Required</title></head></html>',
    HTML,
  ),
  raw(
    '403 page of a firewall',
    403,
    ['permanent', 'transient', 'unknown'],
    '<html><head><title>Attention Required! | Cloudflare</title></head></html>',
    HTML,
  ),
  raw('200 half JSON', 200, TRANSIENT, '{"id":"1","choices":[{"index":0,"mess'),
  raw('200 page', 200, TRANSIENT, PAGE, HTML),
  refusal('200 JSON error', 200, TRANSIENT, 'server_error', 'Internal server error'),
  { name: 'connection reset', of: 'other', classes: TRANSIENT, steps: () => ['reset'] },
  { name: 'no answer', of: 'other', classes: SLOW, steps: () => ['hang'] },
  {
    name: 'reset within the body',
    of: 'other',
    classes: TRANSIENT,
    steps: v => [
      { head: { status: 200, headers: { ...JSON_TYPE, 'content-length': '9000' } } },
      { write: JSON.stringify(v.whole(ANSWER, 'stop')).slice(0, 40) },
      'reset',
    ],
  },
]

const good = (name: string, steps: Fault['steps'], finish?: Fault['finish']): Fault => ({
  name,
  of: 'good',
  classes: [],
  steps,
  ...(finish ? { finish } : {}),
})
const all = (v: Vendor, finish: 'stop' | 'length' | 'filtered' = 'stop') => [
  ...v.head,
  ...WORDS.map(word => v.word(word)),
  ...v.tail(finish),
]

const WHOLE: readonly Fault[] = [
  good('good', v => [begin, ...send(...all(v)), 'end']),
  good('good, in one piece', v => [begin, { write: all(v).map(text).join('') }, 'end']),
  good('good, with pings', v => [
    begin,
    { write: ': ping\n\n' },
    ...send(...v.head),
    ...pings(v),
    ...words(v),
    ...send(...v.tail('stop')),
    'end',
  ]),
  good('good, carriage returns', v => [
    begin,
    { write: all(v).map(text).join('').replaceAll('\n', '\r\n') },
    'end',
  ]),
  good('good, cut at its limit', v => [begin, ...send(...all(v, 'length')), 'end'], 'length'),
  good('good, filtered', v => [begin, ...send(...all(v, 'filtered')), 'end'], 'filtered'),
]

/** Streams of other servers that speak like OpenAI's chat, as they were recorded. */
const RECORDED: readonly Fault[] = Object.entries(GOOD_STREAMS).flatMap(([name, body]): Fault[] => {
  const answer = chatAnswer(body)
  const pieces = body.split(/(?<=\n\n)/)
  if (answer === '') return []
  return [
    {
      ...good(`recorded, ${name}`, () => [begin, ...pieces.map(write => ({ write })), 'end']),
      only: 'chat',
      answer,
      ...(body.includes('"finish_reason":"length"') ? { finish: 'length' as const } : {}),
    },
  ]
})

/** What the model says in a stream with one choice; empty for any other stream. */
function chatAnswer(body: string): string {
  const events = body.split(/\r?\n/).filter(line => line.startsWith('data: {'))
  const choices = events.flatMap(line => JSON.parse(line.slice(6)).choices ?? [])
  if (choices.some(({ index = 0, delta }) => index !== 0 || !delta)) return ''
  return choices.map(({ delta }) => delta.content ?? '').join('')
}

/** Good answers. */
export const GOOD: readonly Fault[] = [...WHOLE, ...RECORDED]
export const FAULTS: readonly Fault[] = [...STREAM, ...OTHER]
export { whole }
