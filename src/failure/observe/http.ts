import { trim } from '../text/cut.ts'
import { isPartOfAnswer } from './begun.ts'
import { bytesAsText } from './bytes.ts'
import { ANSWER } from './observation.ts'
import { isLoginPage, isPage, isServerPage, titleOf } from './page.ts'
import { type Fields, isObject } from './read.ts'
import { meaningOfValue } from './value.ts'
import type { ValueMeaning } from './value-meaning.ts'
import type { Walk } from './walk.ts'

/**
 * Reads an HTTP answer; returns false if it is not a failed one. A 2xx is a failure if its body says so.
 *
 * @param ofModel true if the answer comes from a model API, which never answers with an HTML page
 */
export function readHttpAnswer(walk: Walk, fields: Fields, ofModel: boolean): boolean {
  const status = Number(fields.get('status') ?? fields.get('statusCode'))
  const given = fields.get('body') ?? fields.get('data')
  const raw = bytesAsText(given) ?? given
  const body = bodyOf(raw, walk)
  walk.headers(fields.get('headers'), 'response.headers')
  if (status < 400 && typeof raw === 'string' && isPage(raw)) {
    const isLogin = isLoginPage(raw) && !asksForLogin(fields.get('url'))
    if (isLogin) readLoginPage(walk, raw, 'response.body')
    else if (ofModel || isServerPage(raw)) readPage(walk, raw, 'response.body')
    if (isLogin || ofModel || isServerPage(raw)) return true
  }
  if (status >= 300 && status < 400 && isSentToLogin(walk)) {
    walk.read({ status }, 'response')
    return true
  }
  if (status >= 400) {
    walk.read({ ...Object.fromEntries(fields), body }, 'response')
    return true
  }
  const meaning = meaningOfBody(body, walk)
  const failed = meaning === undefined ? undefined : (meaning.content ?? body)
  if (failed === undefined) {
    if (!isCutStream(walk, raw) && !isCutDocument(walk, raw)) return false
    walk.named('stream=cut', { where: 'response.body', depth: 0, late: false })
  }
  if (meaning?.by === 'tool') walk.observation.source = 'tool'
  walk.read({ headers: fields.get('headers') }, 'response')
  walk.read(failed ?? body, `response.${meaning?.by === 'model' ? ANSWER : 'body'}`, { depth: 1 })
  // A stream that began with 200 had started its work.
  if (isStream(raw)) walk.observation.phases.push({ effect: 'maybe', where: 'response' })
  if (isStream(raw) && framesIn(raw).some(frame => isPartOfAnswer(frame, event => walk.fields(event))))
    walk.observation.hasBegun = true
  return true
}

/** Reads an HTML page received in place of an answer. Its text does not describe the failure; its title may. */
export function readPage(walk: Walk, page: string, where: string): void {
  walk.named('body=page', { where, depth: 0, late: false })
  walk.text(titleOf(page), where)
}

/** Reads a page on which a person is to log in, received in place of an answer. */
export function readLoginPage(walk: Walk, page: string, where: string): void {
  // Anybody can send such a page, so it proves nothing about what was done.
  walk.named('page=login', { where, depth: 0, late: false, quoted: true })
  walk.text(titleOf(page), where)
}

/** Whoever asks for the page on which people log in gets what was asked for. */
function asksForLogin(url: unknown): boolean {
  return typeof url === 'string' && /\/[^?#]*(?:log-?in|sign-?in|sso|auth)/i.test(url.slice(0, 2_000))
}

function isSentToLogin({ observation }: Walk): boolean {
  return observation.words.some(({ value }) => value === 'redirect=login')
}

/** A longer body is an answer, not an error report. */
const LONGEST_BODY = 1_048_576

/** S3 answers some requests with 200 before it knows how they end. */
const XML_ERROR = /^\s*(?:<\?xml[^>]{0,200}>\s*)?<Error>\s*<Code>/

function saysFailure(body: unknown, walk: Walk): boolean {
  return meaningOfBody(body, walk) !== undefined
}

/** What a body that reports a failure says, as `classify` reads returned values; undefined if it reports none. */
function meaningOfBody(body: unknown, walk: Walk): Extract<ValueMeaning, { says: 'failed' }> | undefined {
  if (typeof body === 'string') return XML_ERROR.test(body) ? { says: 'failed', content: body } : undefined
  if (!isObject(body)) return undefined
  const meaning = meaningOfValue(body, object => walk.fields(object))
  return meaning.says === 'failed' ? meaning : undefined
}

function isStream(raw: unknown): raw is string {
  return typeof raw === 'string' && /(?:^|\n)(?:data|event):|^\s{0,8}\[/.test(raw)
}

/** The body parsed as JSON; of server-sent events, the one that reports a failure. */
function bodyOf(raw: unknown, walk: Walk): unknown {
  if (typeof raw !== 'string') return raw
  const whole = parsed(raw)
  if (whole !== undefined) return whole
  const hasStream = isStream(raw)
  if (!hasStream && !/\n[^\S\n]*\{/.test(raw)) return raw
  const lines = trim(raw).split('\n')
  const frames = framesIn(raw)
  if (!hasStream) return closingError(frames, walk) ?? raw
  const failed = frames.filter(frame => hasError(frame) || saysFailure(frame, walk))
  return failed.at(-1) ?? errorEvent(lines) ?? raw
}

/** The JSON of its lines. */
function framesIn(raw: string): object[] {
  const lines = trim(raw).split('\n')
  return lines.map(line => parsed(line.replace(/^data:/, ''))).filter(frame => frame !== undefined)
}

function hasError(frame: object): boolean {
  return 'error' in frame && frame.error !== null && frame.error !== undefined
}

/** The last of several JSON lines, if it alone reports a failure. Data rows that contain errors all look alike. */
function closingError(frames: readonly object[], walk: Walk): object | undefined {
  const last = frames.at(-1)
  if (frames.length < 2 || last === undefined || frames.slice(0, -1).some(hasError)) return undefined
  return hasError(last) || saysFailure(last, walk) ? last : undefined
}

/** An `error` event whose data is not valid JSON: plain words, or JSON that breaks off. */
function errorEvent(lines: readonly string[]): object | undefined {
  const at = lines.findLastIndex(line => /^event: ?error\s*$/.test(line))
  const data = at < 0 ? undefined : lines.slice(at + 1).find(line => line.startsWith('data:'))
  return data === undefined ? undefined : { error: data.slice(5).trim() }
}

function parsed(text: string): object | undefined {
  // Skips what cannot be an object: a failing JSON.parse takes longer than most answers.
  if (text.length > LONGEST_BODY || !/^\s*[[{]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** What the last frame of a complete answer contains: Anthropic, chat completions, Responses, Gemini, Ollama. */
const END_MARK =
  /message_stop|\[DONE\]|"finish_?reason"\s*:\s*"|response\.(?:completed|failed|incomplete|done)|"done"\s*:\s*true|"stop_reason"\s*:\s*"/i

/** True if the last line is truncated JSON: no server sends half an object on purpose. */
function breaksOff(tail: string): boolean {
  const line = tail.slice(tail.lastIndexOf('\n') + 1).replace(/^data: ?/, '')
  return line.startsWith('{') && parsed(line) === undefined
}

/** True for a JSON document that breaks off: no server sends half of one on purpose. */
function isCutDocument({ observation }: Walk, raw: unknown): boolean {
  if (typeof raw !== 'string' || raw.length > LONGEST_BODY) return false
  if (!/\bjson\b/.test(observation.headers.get('content-type') ?? '')) return false
  return /^\s*[[{]/.test(raw) && !/[\]}]\s*$/.test(raw) && parsed(raw) === undefined
}

/** True for a model's stream that ended empty or without its end mark. Other streams have no known end. */
function isCutStream(walk: Walk, raw: unknown): boolean {
  const type = walk.observation.headers.get('content-type')
  if (typeof raw !== 'string' || !/event-stream|ndjson|jsonl|json-seq/.test(type ?? '')) return false
  const tail = raw.slice(-16_384)
  if (breaksOff(tail)) return true
  if (!type?.includes('event-stream')) return false
  const isModel = /"(?:choices|candidates|delta|content_block|model|message)"/.test(tail)
  const isEmpty = !/(?:^|\n)(?:data|event):/.test(tail)
  return isEmpty || (isModel && !END_MARK.test(tail))
}
