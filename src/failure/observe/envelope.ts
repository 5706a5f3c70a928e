import { isCauseAlone } from './notice.ts'
import { isOutcomeAlone } from './outcome-fields.ts'
import { elements, type Fields, isList, isObject } from './read.ts'
import { FINE, failed, type ReadFields, SILENT, type ValueMeaning } from './value-meaning.ts'

/** Vendors that always answer 200 and put the outcome in the body. */
export function vendorEnvelope(value: object, fields: Fields, read: ReadFields): ValueMeaning {
  const base = fields.get('base_resp')
  if (isObject(base)) return isZero(read(base).get('status_code')) ? FINE : failed(value)
  const response = fields.get('Response')
  if (isObject(response)) return isObject(read(response).get('Error')) ? failed(value) : FINE
  const code = fields.get('error_code')
  if (code !== undefined && code !== null) return isZero(code) ? FINE : failed(value)
  return SILENT
}

const REFUSED = /DENIED|ERROR|FAIL|INVALID|EXCEEDED|OVER_|LIMIT|EXHAUSTED|UNAVAILABLE|FORBIDDEN|UNAUTHORIZED/

/** Refusals that name themselves next to the place for an answer. */
export function namedRefusal(value: object, fields: Fields): ValueMeaning {
  const said = fields.get('error_message') ?? fields.get('errorMessage') ?? fields.get('errorType')
  if (typeof said === 'string' && said !== '') return failed(value)
  const isSaid = ['message', 'status_txt', 'status_text'].some(name => fields.has(name))
  // RFC 9457: a type and a title, perhaps with a detail.
  if (!isSaid && !(fields.has('title') && (fields.has('detail') || fields.has('type')))) return SILENT
  if (!isOutcomeAlone(fields)) return SILENT
  const status =
    fields.get('status') ??
    fields.get('statusCode') ??
    fields.get('status_code') ??
    fields.get('cod') ??
    fields.get('code')
  if (isRefusedStatus(status)) return failed(value)
  return isWait(fields.get('retry_after')) || isWait(fields.get('retryAfter')) ? failed(value) : SILENT
}

function isRefusedStatus(status: unknown): boolean {
  if (typeof status === 'number') return status >= 400 && status <= 599
  return (
    typeof status === 'string' &&
    (/^[45]\d\d$/.test(status) || (/^[A-Z_]+$/.test(status) && REFUSED.test(status)))
  )
}

function isWait(wait: unknown): boolean {
  return typeof wait === 'number' || (typeof wait === 'string' && /^\d+(?:\.\d+)?s?$/.test(wait))
}

/** Chinese platforms answer 200 with a number and a sentence; 0 means success, and so does 200 if they mirror HTTP. */
export function isCoded(fields: Fields): boolean {
  const code = CODES.map(name => fields.get(name)).find(given => given !== undefined)
  const said = SAID_WITH_CODE.map(name => fields.get(name)).find(given => given !== undefined)
  const data = fields.get('data')
  const hasData = isObject(data) && !isList(data)
  if (!isFaultCode(code) || hasData) return false
  if (typeof said === 'string') return !GOOD.test(said) && !isName(said)
  // Data rows have a message next to a number too; only envelopes have an empty place for the answer, or complain and say nothing else.
  const message = fields.get('message')
  const isEmpty = fields.has('data') && (!isList(data) || elements(data, 1).length === 0)
  if (typeof message !== 'string' || !isOutcomeAlone(fields)) return false
  if (isOfProtocol(code, fields)) return true
  if (isEmpty) return tellsFault(message, Number(code))
  return (isOwnCode(code) && complains(message)) || (isCodeAndMessage(fields) && REFUSAL.test(message))
}

/** A code that only errors have: the range that JSON-RPC reserves, or gRPC's numbers beside its details. */
function isOfProtocol(code: unknown, fields: Fields): boolean {
  if (typeof code !== 'number') return false
  return (code <= -32_000 && code >= -32_768) || (code > 0 && code <= 16 && isList(fields.get('details')))
}

/** How only a refusal begins. */
const REFUSAL =
  /^(?:invalid|unable to|cannot|could not|no such|(?:access|permission) denied|not (?:found|allowed|authori[sz]ed))\b/i

/** True if nothing else is said: rows of a table have more columns. */
function isCodeAndMessage(fields: Fields): boolean {
  return [...fields].every(([name, content]) => name === 'code' || name === 'message' || content === null)
}

/** Numbers of platforms have four digits or more, or a letter before them; those of exits and protocols are shorter. */
function isOwnCode(code: unknown): boolean {
  return /^-?\d{4,9}$|^[A-F]/.test(String(code))
}

/** A sentence that only a refusal begins or ends with, not the name or the description of a thing. */
const COMPLAINT =
  /^(?:missing|unknown|unable to|cannot|could not|no such)\b|\b(?:limit (?:reached|exceeded)|exceeded|denied|not (?:allowed|found|valid)|does not exist|mismatch|invalid|is (?:invalid|required|missing|expired)|has expired|failed|unauthorized|forbidden|too (?:many|large|long|frequent)|try again|retry|insufficient)\b|\berror[.!]?$|超过|失败|错误|不足|限制|过期|无效/i

/** Says that it went well, before or instead of what did not happen. */
const NONE_FAILED =
  /^[^不未没,，。]{0,6}成功|\b(?:0|no|none|nothing)\s(?:\w+\s)?failed\b|\bno need to (?:retry|try again)\b/i

function complains(message: string): boolean {
  return COMPLAINT.test(message) && !GOOD.test(message) && !NONE_FAILED.test(message)
}

/** Words that complaints contain, and names of months, places and things do not. */
const FAULT =
  /error|fail|invalid|illegal|denied|refus|reject|expire|exceed|limit|forbid|unauthor|missing|required|wrong|unknown|unable|cannot|can't|timeout(?!s\b)|timed|busy|duplicate|unavailable|unsupported|disabled|locked|blocked|abnormal|exception|incorrect|insufficient|mismatch|overload|throttl|abort|cancell?ed|conflict|violat|\bcrash|\bbroken|unexpected|hang up|slow down|\bbad (?:gateway|request|credential|password|login|token|key|input|format|value|data|response|status|auth|signature|parameter|argument|header|checksum|certificate)|revoked|malformed|unreachable|suspended|exhausted|corrupted|\b(?:reset|closed) by\b|\bclosed\s*$|\b(?:no|not|too|must|already|without|out of)\b|[错误失败无不未超限拒缺非异禁]|エラー|失敗|無効|오류|실패|erreur|fehler|inválid|incorrect/i

/** One capitalised word that complains of nothing. */
function isName(text: string): boolean {
  return /^\p{Lu}\p{Ll}{1,20}$/u.test(text.trim()) && !FAULT.test(text)
}

/**
 * True for a message that complains: by one of its words, or as a sentence next to a number in the range of fault codes,
 * which are negative or too large to count things.
 */
export function tellsFault(message: string, code = 0): boolean {
  if (GOOD.test(message)) return false
  if (FAULT.test(message)) return true
  const isFaultNumber = code < 0 || code >= LEAST_FAULT || Number.isNaN(code)
  return isFaultNumber && SENTENCE.test(message)
}

const LEAST_FAULT = 400
/** Several words with a lower-case one after the first, or several characters of a language without spaces. */
const SENTENCE = /\S\s+\p{Ll}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{4}/u

/** Field names of the code in platform envelopes. */
export const CODES: readonly string[] =
  'errcode errno code ret retCode ret_code resultCode errCode err_code ErrCode error_no returnCode return_code respCode resp_code result_code'.split(
    ' ',
  )
const SAID_WITH_CODE =
  'errmsg msg retMsg ret_msg resultMsg errMsg err_msg ErrMsg error_info returnMsg return_msg respMsg resp_msg result_msg'.split(
    ' ',
  )
const GOOD = /^(?:ok\b|success|succeed|done|成功|操作成功|请求成功|查询成功)/i

/** True for a number, or a number as text, that means success in no numbering. */
export function isFaultCode(code: unknown): boolean {
  if (typeof code === 'number') return code !== 0 && code !== 200 && code !== 20_000
  if (typeof code === 'string' && /^(?:FAIL(?:ED|URE)?|ERROR)$/i.test(code)) return true
  return (
    typeof code === 'string' && /^-?\d{1,9}$|^[A-F]\d{4,5}$/.test(code) && !/^0*$|^200$|^20000$/.test(code)
  )
}

/**
 * FastAPI's refusal: only a `detail`, holding a list of faults or an object that names one. A sentence there, or alone in a
 * `message`, can say anything: it counts if it is the name of a status, or a notice and nothing else.
 */
export function isDetail(fields: Fields, read: ReadFields): boolean {
  const detail = fields.get('detail') ?? fields.get('message')
  if (typeof detail === 'string' && isSaidAlone(fields))
    return STATUS.test(detail) || (!/(?:\s\S+){6}/.test(detail) && isCauseAlone(detail))
  if (fields.size !== 1 || !isObject(detail) || !fields.has('detail')) return false
  const fault: unknown = isList(detail) ? elements(detail, 1)[0] : detail
  if (!isObject(fault)) return false
  const names = read(fault)
  return FAULT_FIELDS.some(name => names.has(name))
}

/** Beside the sentence stands at most where it happened, or where to read about it. */
function isSaidAlone(fields: Fields): boolean {
  return [...fields.keys()].every(name =>
    /^(?:detail|message|documentation_url|(?:request|trace)_?id|path|timestamp)$/i.test(name),
  )
}

const STATUS =
  /^[45]\d\d: \S|^(?:bad request|unauthori[sz]ed|not authenticated|authentication credentials were not provided|invalid token|payment required|forbidden|not found|method not allowed|request timeout|too many requests|internal (?:server )?error|bad gateway|service unavailable|gateway time-?out)[.!]?$/i

const FAULT_FIELDS = ['loc', 'msg', 'code', 'error', 'status', 'type', 'error_code', 'reason']

/** What runtimes and clients call their errors; products have no such codes. */
const SYSTEM_ERROR =
  /^(?:E(?:CONN(?:RESET|REFUSED|ABORTED)|TIMEDOUT|NOTFOUND|AI_AGAIN|PIPE|HOSTUNREACH|NETUNREACH|ACCES|NOENT|NOSPC|MFILE|ADDRINUSE)|(?:UND_)?ERR_[A-Z_]{3,60})$/

/** An error as a whole value: a code in words, and a sentence that complains. */
export function isCodedError(fields: Fields): boolean {
  const [code, message] = [fields.get('code'), fields.get('message')]
  if (typeof code !== 'string' || typeof message !== 'string' || !isOutcomeAlone(fields)) return false
  if (SYSTEM_ERROR.test(code)) return true
  // A code with a number at its end names a voucher or a gate, unless it names a fault itself.
  if (
    /\d$/.test(code) &&
    !/^(?:[A-Z]{1,3}\d{3,6}|E(?:RR(?:OR)?)?[_-]?\d+)$/.test(code) &&
    !tellsFault(code.replaceAll('_', ' '))
  )
    return false
  return (
    /^(?:[A-Z][A-Z0-9_]{2,}|[a-z]+(?:[_.-][a-z0-9]+)+|[A-Z][A-Za-z]+(?:Error|Exception|Exceeded))$/.test(
      code,
    ) && tellsFault(`${code.replaceAll('_', ' ')} ${message}`, 0)
  )
}

/** True for the name of an error class. */
export function isErrorName(name: unknown): name is string {
  return typeof name === 'string' && (name.endsWith('Error') || name.endsWith('Exception'))
}

/** An error as a whole value whose sentence stands in its data: `{name: "NotFoundError", data: {message}}`. */
export function isNamedError(fields: Fields, read: ReadFields): boolean {
  const [name, data] = [fields.get('name'), fields.get('data')]
  if (!isErrorName(name) || !isObject(data)) return false
  const said = read(data)
  const message = said.get('message')
  if (typeof message !== 'string' || !isOutcomeAlone(fields)) return false
  return said.has('isRetryable') || said.has('statusCode') || tellsFault(message)
}

/** AWS by its type, and Alibaba: a code, a message and a request id, without an output. */
export function isRefusal(fields: Fields): boolean {
  if (isErrorName(fields.get('__type'))) return isOutcomeAlone(fields)
  const isCapital = fields.has('Code')
  const code = fields.get(isCapital ? 'Code' : 'code')
  const named = typeof code === 'string' && code !== '' && code !== '0' && !/^(ok|success|200)$/i.test(code)
  const beside = isCapital ? ['Message', 'RequestId'] : ['message', 'request_id']
  return named && beside.every(name => fields.has(name)) && isOutcomeAlone(fields)
}

function isZero(value: unknown): boolean {
  return value === 0 || value === '0'
}
