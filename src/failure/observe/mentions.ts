import { matchesOf } from '../text/matches.ts'
import { anyOf, mayContain, type Prefilter, prefilterOf, type Words } from '../text/prefilter.ts'
import { snakeCase } from './fields.ts'
import { Notes, type Place } from './notes.ts'
import type { Observation, Text } from './observation.ts'
import { textWords } from './text-shapes.ts'

/**
 * Reads facts that a text states like a field or a status line: truncated or wrapped JSON, objects printed by a runtime,
 * "HTTP 429". A number counts as a status only if the text says so: 429 as a line number, port, id or amount is ignored.
 */
export function readMentions(observation: Observation, text: Text): void {
  const source = text.value
  const prefilter = prefilterOf(source)
  const { where, depth, late } = text
  const notes = new Notes(observation)
  const here = { where, depth, late, quoted: true }
  // A status that a text states is deeper than the text: it tells of what the text is about.
  const inside = { where, depth: depth + 1, late, quoted: true }
  if (mayContain(prefilter, FIELD_WORDS)) readFields(notes, source, here, inside)
  if (mayContain(prefilter, STATUS_WORDS)) readStatuses(notes, source, inside, prefilter)
  if (mayContain(prefilter, ENDING_WORDS)) readEndings(notes, source, here)
  for (const value of textWords(source, prefilter)) notes.named(value, here)
}

const MOST_MENTIONS = 64

/** `"code": "1302"`, `'type': 'server_error'`, `code: 'ETIMEDOUT'`, `\"status\": 503`, `reason=UNAVAILABLE`. */
const FIELD =
  /(?<![\w.-])(code|type|status|status_?code|error_?code|reason|name|subtype|terminal_reason|api_error_status|errno|error_?type|syscall|err_?code|quota_?id|finish_reason|stop_reason)\\{0,8}["'”]?\s{0,4}[:=：]\s{0,4}\\{0,8}(?:[ub](?=['"]))?["'“]?([A-Za-z0-9_.-]{1,80})/gi

/** Every field name above contains one of these. */
const FIELD_WORDS = anyOf('code', 'type', 'status', 'reason', 'name', 'errno', 'syscall', 'quota')

function readFields(notes: Notes, source: string, here: Place, inside: Place): void {
  if (!/[:=：]/.test(source)) return
  let left = MOST_MENTIONS
  for (const [, rawField, rawValue] of matchesOf(FIELD, source)) {
    if (left-- === 0) return
    const field = snakeCase(rawField as string)
      .replace(/^(status|error|err)code$/, '$1_code')
      .replace(/^errortype$/, 'error_type')
    const value = (rawValue as string).replace(/[.-]+$/, '').toLowerCase()
    if (value === '') continue
    notes.named(`${field}=${value}`, here)
    const isNumber = /^\d+$/.test(value)
    const isCodeWord = field === 'status' && /^[A-Z][A-Z_]+$/.test(rawValue as string)
    if ((!isNumber && !SCOPED.has(field)) || isCodeWord) notes.named(value, here)
    if (STATUS_FIELDS.has(field) && /^[45]\d\d$/.test(value)) notes.status(Number(value), inside)
  }
}

const SCOPED = new Set(['status', 'subtype', 'syscall', 'finish_reason', 'stop_reason', 'quota_id'])
const STATUS_FIELDS = new Set(['code', 'status', 'status_code', 'error_code', 'api_error_status', 'err_code'])

/** How reason phrases begin, in lower case. Compared as strings: a pattern of them takes long to compile. */
const REASONS =
  `bad request|unauthorized|payment required|forbidden|not found|method not allowed|not acceptable|proxy authentication|request timeout|request time-out|conflict|gone|precondition failed|payload too large|content too large|request entity too large|unsupported media|unprocessable|locked|failed dependency|too many requests|internal server error|internal error|not implemented|bad gateway|service unavailable|service temporarily|gateway timeout|gateway time-out|gateway_timeout|site is overloaded|client error|server error|status code|web server|overloaded|rate limit`.split(
    '|',
  )
const LONGEST_REASON = 30

function isReason(source: string, at: number): boolean {
  const said = source.slice(at, at + LONGEST_REASON).toLowerCase()
  return REASONS.some(reason => said.startsWith(reason))
}

const STATUS_WORDS = anyOf('000')
/** Each begins with what most places lack, because it is tried at every one. */
const STATUS_FORMS: readonly {
  needs: Words
  form: RegExp
  /** Whether what follows fits. */
  holds?: (source: string, end: number) => boolean
}[] = [
  {
    needs: anyOf(
      'http',
      'status',
      'err',
      'response',
      'returned',
      'got',
      'failed with',
      'rejected',
      'responded',
    ),
    form: /(?<![a-z\d])(?=[acefghrs])(?<!exit[ _-]?)(?<!exited with )(?:HTTP(?:\/[\d.]+)?(?: (?:status|error|code))?|status(?:[ _-]?code)?(?: of)?|error(?:[ _-]?code)?|err(?:or)? ?code|response(?: status)?(?: code)?|api error|returned(?: error| status| http)?|got|failed with|rejected|responded with|server error|client error)[\s:=('"[#-]{1,4}([45]\d\d)(?![\w%]|[.:,]\d)/gi,
  },
  {
    needs: anyOf('000 ', '000:', '000]'),
    form: /([45]\d\d)(?<![\w.:/-]\d{3})(?: \(| - |[ :]{1,2}|\]\s)(?=[A-Za-z])/g,
    holds: isReason,
  },
  {
    needs: anyOf('000 '),
    form: /(?:^|\n)[^\w\n]{0,8}(?:(?:[A-Za-z_.]{0,40}(?:Error|Exception)(?:\s*\[\w+\])?|Error code|API Error|\[API Error)[: ]{1,3}\(?)?([45]\d\d) {1,2}(?=[{"'[A-Z<])/g,
  },
  {
    needs: anyOf('unexpected 000', 'unexpected status'),
    form: /\bunexpected (?:HTTP )?(?:status(?: code)?[: ]{0,3})?([45]\d\d)(?![\w%]|[.:,]\d)/gi,
  },
  { needs: anyOf('000)', '000]'), form: /[([](?:HTTP |status |code |error )?([45]\d\d)[)\]]/gi },
  // How clients report an error: the request, then its status.
  {
    needs: anyOf('://'),
    form: /\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|for|from|fetch|fetching|downloading) "?https?:\/\/[^\s"]{1,500}?"?(?::| -| [-=]>)? ([45]\d\d)(?![\w%]|[.:,]\d)/g,
  },
  { needs: anyOf('000: '), form: /(?:^|: )([45]\d\d): (?=[A-Z])/g },
]

function readStatuses(notes: Notes, source: string, inside: Place, prefilter: Prefilter): void {
  if (!/[45]\d\d/.test(source)) return
  const seen = new Set<number>()
  for (const { needs, form, holds } of STATUS_FORMS) {
    if (!mayContain(prefilter, needs)) continue
    for (const { 0: all, 1: status, index } of matchesOf(form, source)) {
      const value = Number(status)
      if (seen.has(value) || holds?.(source, index + all.length) === false) continue
      seen.add(value)
      if (seen.size > 16) return
      notes.status(value, inside)
    }
  }
}

const EXIT = /\bexit(?:ed|ing)?(?: with)?(?: (?:code|status))?[: =]{1,3}(-?\d{1,5})\b/gi
const SIGNAL = /\b(SIG(?:KILL|TERM|INT|HUP|SEGV|ABRT|BUS|FPE|ILL|PIPE|QUIT|XCPU|XFSZ))\b/g

const ENDING_WORDS = anyOf('exit', 'sig')

/** How a wrapper reports the end of the program inside it. */
function readEndings(notes: Notes, source: string, here: Place): void {
  if (/exit/i.test(source))
    for (const [, code] of matchesOf(EXIT, source)) notes.named(`said_exit=${code}`, here)
  if (source.includes('SIG'))
    for (const [, signal] of matchesOf(SIGNAL, source))
      notes.named(`said_signal=${(signal as string).toLowerCase()}`, here)
}
