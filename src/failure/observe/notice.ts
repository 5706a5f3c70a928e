import { endFrom } from '../text/cut.ts'
import { isAboutError, unquoted } from './answer-about-error.ts'
import { isNoticeOnly, isNoticeRest, WORK_DONE } from './notice-words.ts'
import { withoutTitle } from './title.ts'

/**
 * Recognises failures that look like success: by exit code or last event the run ended well, but in place of an answer
 * stands the reason why there is none.
 */

/** No stop notice is longer. */
export const LONGEST_NOTICE = 400

/** The causes a notice can name: something is used up, refused, too long, or out of reach. */
const CAUSES = [
  /\b(?:limits?|quota|allowance|capacity|budget|cap)\b.*\b(?:reached|exceeded|exhausted|hit|resets?|used up)\b/,
  /\b(?:hit|reached|exceeded|exhausted|over|used up|used all|out of)\b.*\b(?:limits?|quota|capacity|allowance|budget|credits?|usage|turns|messages|requests)\b/,
  /\b(?:credits?|balance|funds)\b.*\b(?:low|insufficient|exhausted|empty|depleted)\b/,
  /\binsufficient (?:credits?|balance|funds|quota)\b|\badd credits\b|\bpayment required\b/,
  /\btoo many requests\b|\brate[- ]limited\b|\boverloaded\b/,
  /\bnot logged in\b|\b(?:invalid|bad|expired|missing) (?:api key|(?:auth|access) token|credentials)\b|\b(?:token|login|session) (?:has |is )?(?:revoked|expired)\b|\bunauthorized\b|\bauthenticat\w+ (?:failed|error|required)\b/,
  /\b(?:prompt|input|context|conversation|history) (?:is )?too (?:long|large)\b|\bcontext (?:length|window) exceeded\b/,
  /\bmax(?:imum)? (?:number of )?(?:turns|steps|iterations)\b|\bmax iterations\b/,
  /\b(?:content|response|answer|output|request|prompt|message)\b.*\b(?:filtered|blocked|flagged|violates?|moderated)\b/,
  /\btimed out\b|\b(?:connection|network|server|execution) error\b|\bexec failed\b/,
]

/**
 * True for an answer that is only a stop notice.
 *
 * @param ownOpenings how notices of this CLI begin, besides the general openings
 */
export function isStopNotice(answer: string, ownOpenings: readonly RegExp[] = []): boolean {
  const text = unquoted(withoutTitle(answer.trim()))
  if (PRINTED.test(answer.trim())) return false
  if (isApology(text)) return true
  if (text.length > LONGEST_NOTICE || DATUM.test(text) || isLog(text)) return false
  if (CERTAIN.some(form => form.test(text))) return !WORK_DONE.test(text)
  const opening = OPENING.exec(text) ?? firstMatch(ownOpenings, text)
  if (opening) return isErrorText(text.slice(opening[0].length))
  // A notice is a sentence and starts with a capital; anything else may be the text that was asked for.
  if (/^[a-z]/.test(text)) return false
  return CAUSES.some(cause => cause.test(text.toLowerCase())) && isNoticeOnly(text)
}

/** A report on work never begins like this. */
const CERTAIN = [
  /^\[API Error: [\s\S]*\]$/,
  /^Ran into this error(?: trying to compact)?: /,
  /^I(?:'|’)ve reached the maximum number of actions I can do without user input/,
  /^The model (?:response was blocked due to|returned an empty response with no text)/,
  /^Model response was truncated because it exceeded the token limit/,
  // An answer that broke off; nothing else is left of it.
  /^(?:API Error: )?(?:Server error|Connection (?:lost|closed)|Your computer went to sleep|Response stalled) mid-(?:response|stream)\b/,
  /^(?:API Error: )?The response (?:stopped arriving|stalled before)\b/,
  // The words with which models refuse, and nothing else.
  /^(?:I(?:'|’)m |I am )?sorry,? (?:but )?I (?:can(?:'|’)t|cannot|am unable to|(?:'|’)m unable to) (?:assist|help|comply|continue)(?: with (?:that|this)(?: request)?)?\.?$/i,
  /^I (?:can(?:'|’)t|cannot|(?:'|’)m unable to|am unable to) (?:assist|comply) with (?:that|this)(?: request)?\.?$/i,
]

/** How an assistant says in its own words that it has no answer, before the error that its model's API gave it. */
const APOLOGY =
  /^(?:(?:I(?:'|’)m |I am |I )?(?:sorry|apologi[sz]e),? (?:but )?)?I (?:have |just )?(?:encountered|ran into|hit|got|received) an (?:\w{2,20} ){0,2}error(?: [^:\n]{1,80})?: /i
const API_ERROR =
  /^(?:[A-Z][\w.-]{0,30} ){0,3}(?:[Ee]rror|[\w.]{0,60}(?:Error|Exception))(?::? (?:[Ee]rror )?(?:code|status))?\W{1,3}[45]\d\d\b/

/** True for such an answer: the error comes with its status, and nothing was done about it. */
export function isApology(answer: string): boolean {
  const opening = APOLOGY.exec(answer)
  return opening !== null && API_ERROR.test(answer.slice(opening[0].length)) && !WORK_DONE.test(answer)
}

/** An opening that wraps an error of any text. Claude Code's own, copied by many others; a zero only counts them. */
const OPENING = /^(?:API Error|Failed to authenticate)[:.] (?!0(?:\n|$))/

function firstMatch(forms: readonly RegExp[], text: string): RegExpExecArray | null {
  for (const form of forms) {
    const found = form.exec(text)
    if (found) return found
  }
  return null
}

/** What follows such an opening: a status, an object, an address, or notice words; never an action. */
function isErrorText(text: string): boolean {
  if (WORK_DONE.test(text)) return false
  const tells =
    /\b[1-5]\d\d\b|\{|https?:|\b[A-Z][A-Z_]{4,}\b|\b[A-Z]\w+(?:Error|Exception)\b|\b(?:error|failed): /
  return tells.test(text) || isNoticeRest(text)
}

/** Without one of these words, a text states a fact: "The rate limit is 60 requests per minute". */
const WENT_WRONG =
  /\b(?:reached|exceed\w*|hit|exhausted|out|too|insufficient|not|invalid|bad|missing|expired|revoked|over\w*|fail\w*|errors?|timed|timeout|denied|unauthorized|refused|unable|cannot|can['’]t|no|low|required|busy|blocked|stopped|unavailable|limited|throttled|used|aborted|lost|closed|down|empty|resets?|exced\w+|agotad\w+|insuficiente|superad\w+|aufgebraucht|erreicht|atteinte?)\b|[^\x20-\x7e]/i

/** A named value, or rows of them: "Maximum iterations: 10", "timeout=30s", "id,error". */
const DATUM = /^[^\n:=]{1,60}[:=]\s*(?:\d[\w.%]*|yes|no|none|null|true|false|ok|off|on)\.?$/i
const ROWS =
  /^\w+(?:[,;|\t]\w+)+\n|^(?:[\w.-]{1,60}\s{0,4}[=:]\s{0,4}\S{1,60}\n){2}|^(?:[\w.-]{1,60}[ \t]{1,40}\d[\d.,%]{0,20}(?:\n|$)){2}/

/** A list or an object as a program prints it. */
const PRINTED = /^[[{]\s{0,4}(?:['"[{]|\w+:)/

/** A list of commits, whose titles name what they mend. */
const COMMITS = /^[0-9a-f]{7,40} \S/

/** The names of columns, and the line below them. */
const TABLE = /^[^\n]{1,400}\n[ |+]{0,2}[-=─]{2,200}[ |+┼][-=─ |+┼]{0,400}\n/

/** True for several lines that each start with a time: a log the user asked for, no matter what it reports. */
export function isLog(text: string): boolean {
  return /^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\n]*\n){1,}\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)
}

/** True if a text that a rule recognises says nothing else. */
export function isBareNotice(text: string): boolean {
  const whole = text.trim()
  if (PRINTED.test(whole)) return false
  const said = unquoted(withoutTitle(whole).replace(/^[([](.*)[)\]]$/, '$1'))
  if (DATUM.test(said) || ROWS.test(said) || TABLE.test(said) || COMMITS.test(said)) return false
  return said.length <= LONGEST_NOTICE && WENT_WRONG.test(said) && isNoticeOnly(said)
}

/** True for a notice that also names its cause, as one sentence with nothing beside it. */
export function isCauseAlone(text: string): boolean {
  return isBareNotice(text) && CAUSES.some(cause => cause.test(text.toLowerCase()))
}

/** How an error line begins: the word "error" or an error class name, then a colon. */
const ERROR_LINE =
  /^[^\w\n]{0,6}(?:(?:(?:fatal|api|internal|unexpected|runtime|network|server|http|(?:llm |model )?provider|llm|upstream) )?(?:error|exception)|fatal|panic|fehler|erreur|errore|erro|błąd|fout|ошибка|错误|錯誤|エラー|오류|[A-Za-z][\w.]{0,80}(?:Error|Exception))(?: ?[[(][^\])\n]{1,40}[\])])?(?:: {1,2}|：\s?)(?=\S)|^\(error\) (?=[A-Z]{2})/i
const NOTHING =
  /^(?:(?:0|none|null|nil|no(?= errors?\b|[.\s]*$)|false|n\/a|ok|undefined|keiner?|aucune?|ningun[oa]|nessun[oa]|nenhuma?|brak|geen)\b|нет|なし|无|無|없음)/i

/** True for a text that is only one error line, or a stack trace above it. */
export function isErrorLine(text: string): boolean {
  const lines = text
    .trim()
    .replace(/^Traceback \(most recent call last\):/, '')
    .trim()
    .split('\n')
  const [line = ''] = lines
  const opening = lines.length === 1 && line.length <= LONGEST_NOTICE ? ERROR_LINE.exec(line) : null
  if (!opening) return false
  if (isAboutError(line)) return false
  return !WORK_DONE.test(line) && !NOTHING.test(line.slice(opening[0].length))
}

/** The last words of a run that exited 0, if they report a failure: from where they begin to the end. */
export function lastWords(text: string, notices: NoticeProfile | undefined): string | undefined {
  const opening = notices?.lastWords
  const end = opening && endFrom(text, opening)
  return end !== undefined && isError(end, text) ? end : givenUp(text)
}

/** True for the end of a longer text, or for a whole text that reads as an error. */
function isError(end: string, text: string): boolean {
  if (WORK_DONE.test(end)) return false
  return end.trim() !== text.trim() || isErrorText(end.replace(/^[^:]{0,40}: /, ''))
}

const GAVE_UP = [
  /\b(?:stopped|stopping|reached|exceeded|failed to complete|incomplete)\b.{0,40}\bmax(?:imum)?\b.{0,20}\b(?:steps|iterations|turns)\b/i,
  /\bmax(?:imum)?\b.{0,20}\b(?:steps|iterations|turns)\b.{0,12}\b(?:reached|exceeded)\b/i,
  /\bAgent stopped due to (?:max )?iteration/i,
]

/** A short last line in which an agent of any kind says that its own limit stopped it. */
function givenUp(text: string): string | undefined {
  const line = text.trimEnd().split('\n').at(-1) ?? ''
  return line.length <= 120 && isNoticeOnly(line) && GAVE_UP.some(form => form.test(line)) ? line : undefined
}

/** How any program's error begins: with the word, after the program's name, or in log columns. */
const COMPLAINT =
  /^(?:(?:error|fatal(?: error)?|exception)(?:: ?| (?!(?:log|report|output|file|messages?|codes?|handl)))|fehler: |erreur ?: |errore: |erro: |błąd: |fout: |ошибка: |错误[:：]|エラー[:：]|오류[:：]|\[(?:error|fatal)\]|request failed: |[\w./-]{1,40}: (?:fatal(?: error)?|error): |\d{4}-\d\d-\d\d[T ][\d:.,]+Z?[\s-]+\[?(?:error|fatal|critical)\b|(?:time=\S{1,40} )?level=(?:error|fatal)\b|[A-Z][\w.]{0,80}(?:Error|Exception): )/i
const OF_NOTHING = /^[^:：]{0,60}[:：]\s?(?:0|none|null|nil|no|false|n\/a|ok|undefined)\b/i

/** Like {@link lastWords}, for stderr. If the program gave no answer at all, it need not be a known one. */
export function lastComplaint(
  text: string,
  notices: NoticeProfile | undefined,
  isSilent: boolean,
): string | undefined {
  const own = notices?.lastComplaint
  const end = (own && endFrom(text, own)) ?? (isSilent ? endFrom(text, COMPLAINT) : undefined)
  return end === undefined || OF_NOTHING.test(end) ? undefined : end
}

/** The speaker, before what it says: "GraphQL: …", "[gateway] …". */
const SPEAKER = /^(?:\[[\w .:-]{2,40}\]|[\w.-]{1,30}(?: [\w.-]{1,20})?:) /
const REMARK = /^(?:warn|note|info|debug|hint|notice|deprecat|trace|tip|progress|remote)/i
/** The program continued, or finished anyway. */
const WENT_ON =
  /\b(?:done|ok|complete[ds]?|success\w*|continu\w+|skipp\w+|retrying|fall\w* back|fallback|ignor\w+|approach\w+|near\w*|close to|will be|using|cached?|finished|saved|written|wrote)\b/i

/** True for one sentence on stderr that says why a program printed nothing else. Its words need not be notice words. */
export function isLoneComplaint(text: string): boolean {
  const said = text.trim()
  if (said.length > LONGEST_NOTICE || said.split('\n').length > 3 || REMARK.test(said)) return false
  if (WENT_ON.test(said) || WORK_DONE.test(said) || DATUM.test(said) || isAboutError(said)) return false
  return CAUSES.some(cause => cause.test(said.toLowerCase()))
}

/** True for an answer that a gateway wrote in place of the model: its name in brackets, then a notice. */
export function isSignedNotice(answer: string): boolean {
  const said = answer.trim()
  const speaker = said.length <= LONGEST_NOTICE && said.startsWith('[') ? SPEAKER.exec(said) : null
  return speaker !== null && isBareNotice(said.slice(speaker[0].length))
}

/** How a CLI that exits 0 reports a failure. Patterns are tried on lines without symbols before the first word. */
export interface NoticeProfile {
  /** How an answer begins that is really a notice, in words that others use for something else. */
  readonly openings?: readonly RegExp[]
  /** How its last words begin, on either stream. */
  readonly lastWords?: RegExp
  /** How its last words begin on stderr. */
  readonly lastComplaint?: RegExp
}
