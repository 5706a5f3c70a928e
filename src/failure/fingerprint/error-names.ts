import { COLON, DIGIT, EQUALS, marksIn, NOT_ASCII, QUOTE } from '../text/marks.ts'
import { matchesOf } from '../text/matches.ts'
import { isId } from './shape.ts'

/**
 * The codes and quoted identifiers in a text that name the kind of error: `code 1302`, `error[E0425]`, `ORA-00942`,
 * `reason: "seat_drained"`. Other numbers and quoted words belong to one occurrence.
 */
export function errorNamesIn(text: string, marks = marksIn(text)): string[] {
  if (!(marks & (DIGIT | QUOTE | COLON | EQUALS | NOT_ASCII))) return []
  const names = new Set<string>()
  for (const { marked, needs, form } of CODES) {
    if (!(marks & marked) || !needs.test(text)) continue
    for (const [, code, other = ''] of matchesOf(form, text)) names.add((code ?? other).toLowerCase())
  }
  if (!(marks & (QUOTE | NOT_ASCII))) return [...names].sort()
  let end = 0
  for (const { 0: all, 1: quoted = '', index } of matchesOf(QUOTED, text)) {
    if (isErrorName(quoted, () => wordsBefore(text, index, end))) names.add(quoted.toLowerCase())
    end = index + all.length
  }
  return [...names].sort()
}

/** The classes of errors that a statement names, without their packages: `com.acme.SeatTakenException`. */
export function classNamesIn(statement: string): string[] {
  if (!/(?:Error|Exception|Fault|Failure)\b|\.[A-Z]/.test(statement)) return []
  return Array.from(matchesOf(CLASS, statement), ([name, last]) => (last ?? name).toLowerCase())
}

/** Its name says that it is one, or a package stands before it and a colon behind. */
const CLASS =
  /(?<!\w)[A-Z][A-Za-z\d]{1,80}(?:Error|Exception|Fault|Failure)\b|(?<![\w.])(?:[a-z_]\w{0,60}\.){1,8}([A-Z][A-Za-z\d]{2,80})(?=:|$)/g

/** Numbers that a text calls a code, and codes with a prefix. An exit code is no part of the text. */
const CODES = [
  {
    marked: DIGIT,
    needs: /code|errno|signal|error[ _-]?n|sqlstate|hresult|fault|错误码|错误代码/i,
    form: /(?<!\bexit(?:ed)?(?: with)?(?: status)?[ _-])(?<![a-z\d])(?!exit)(?:[a-z]{1,20}[_.])?(?:error[ _-]?code|err[ _-]?code|errcode|code|errno|signal|error[ _-]?(?:no|num|number|nr)|sqlstate|hresult|fault|ret(?:urn)?[ _-]?code|subcode|fehlercode|错误码|错误代码)(?:["'`]?\s?[:=#：]?\s?|\s(?:is|was|of)\s)["'`([]?(-?\d{1,10}|0x[0-9a-f]{1,8}|[a-z]{0,2}\d[a-z\d]{4})(?![\w%/]|\.\d)/gi,
  },
  {
    marked: DIGIT,
    needs: /\d\d/,
    form: /\b(?:error|err|exception|status|http|os error)(?: ?[#([]\s?|\s)(-?\d{2,7}|0x[0-9a-f]{4,8})(?=$|[:)\],;.]?(?:\s|$)|\s?[-–—{"'])(?!\s(?:of|times|retries|attempts|tokens?|seconds?|ms|items?|more)\b)/gi,
  },
  {
    marked: DIGIT,
    needs: /: -?\d{3}/,
    form: /\b(?:[Ee]rror|ERROR|[Ee]rr|[Ee]xception|[Ss]tatus|HTTP|[Ff]ailed|[Ff]ailure|[Rr]ejected|[Rr]efused|[Dd]enied):\s(-?\d{3,7})(?=$|[:),;]|\s?[-–—{"']|\s[A-Z])/gm,
  },
  { marked: DIGIT, needs: /[A-Z][-_]?\d\d/, form: /(?<![\w/.-])([A-Z]{1,8}[-_]?\d{2,6})(?![\w/]|[.-]\d)/g },
  {
    marked: DIGIT,
    needs: /\d\]/,
    form: /\[([a-z]{1,8}[-_]?\d{2,6})\]|(?<=\S\s)\[(\d{3,6})\](?=[\s.,;:]|$)/gi,
  },
  {
    marked: COLON | EQUALS,
    needs: /[:=]\s?[a-z\d]+[._-]/i,
    form: /(?<![a-z\d])(?:[a-z]{1,20}[_.])?(?:code|error[ _-]?(?:code|type|kind|name)|reason)["'`]?\s?[:=]\s?([a-z][a-z\d]*(?:[._-][a-z\d]+)+)/gi,
  },
  { marked: EQUALS, needs: /\b(?:ret|retval|rc)=/i, form: /\b(?:ret|retval|rc)=(-\d{1,10}|\d{3,10})\b/gi },
  // Where a program's own code gave up: the file, not the line.
  {
    marked: DIGIT,
    needs: /panicked at/,
    form: /panicked at [^\n]{0,300}?((?:[\w.-]{1,80}[/\\])?[\w.-]{1,80}\.rs):\d/g,
  },
  // Windows writes its codes so; addresses begin otherwise.
  { marked: DIGIT, needs: /0x[8c]0/i, form: /\b(0x[8c]00[0-9a-f]{5})\b/gi },
]

const QUOTED = /(?<!\w)["'`“]([\w.:/-]{2,80})["'`”](?!\w)/g

/** The longest that can stand before a quoted name: more is not read, so that a long text takes no longer. */
const BEFORE = 240
/** Up to three words, with what may stand between them, at the end of a text. */
const LAST_WORDS = /(?:(?<![\w.-])[\w.-]+["'`]?\s?[:=]?\s?){0,3}$/

/** The words before `index` that belong to what is quoted there. A name that was quoted before is none of them. */
function wordsBefore(text: string, index: number, from: number): string {
  return LAST_WORDS.exec(text.slice(Math.max(from, index - BEFORE), index))?.[0] ?? ''
}

function isErrorName(quoted: string, before: () => string): boolean {
  if (!/[a-z]{2}/i.test(quoted) || quoted.includes('/') || isId(quoted.toLowerCase())) return false
  if (/^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$/.test(quoted) || /(?:Error|Exception|Fault|Failure)$/.test(quoted))
    return true
  if (
    /^(?:err|error|e)[_.:-]\w|[_.:-](?:error|err|exception|exceeded|failed|failure|denied|invalid)$/i.test(
      quoted,
    )
  )
    return true
  return /^[a-z]/i.test(quoted) && NAMES_NEXT.test(before().trimEnd())
}

/** Words before a quoted identifier that make it the name of an error. */
const NAMES_NEXT =
  /\b(?:error|err|errno|code|error[_ -]?(?:code|type|kind|name)|(?:type|kind|status|error|category)["'`]?\s?[:=]|kind|reason|cause|exception|said|says|reported|answered|emitted|rejected (?:with|as|by)|refused with|failed (?:with|as)|raised|threw|thrown|responded(?: with)?|aborted with|returned(?: error)?|reading|setting|attribute|keyerror|(?:no|find) module(?: named)?|undefined (?:method|symbol|variable)|(?:refused|rejected|denied|failed|failure|stopped|ended|aborted):)["'`]?\s?[:=]?$/i
