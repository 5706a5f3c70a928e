/**
 * The codes and quoted identifiers in a text that name the kind of error: `code 1302`, `error[E0425]`, `ORA-00942`,
 * `reason: "seat_drained"`. Other numbers and quoted words belong to one occurrence.
 */
export function errorNamesIn(text: string): string[] {
  if (!/[\d"'`“]|code|reason|error[ _-]?[tkn]/i.test(text)) return []
  const names = new Set<string>()
  for (const { needs, form } of CODES) {
    if (!needs.test(text)) continue
    for (const [, code, other = ''] of text.matchAll(form)) names.add((code ?? other).toLowerCase())
  }
  if (!/["'`“]/.test(text)) return [...names].sort()
  let end = 0
  for (const { 0: all, 1: quoted = '', index } of text.matchAll(QUOTED)) {
    if (isErrorName(quoted, () => wordsBefore(text, index, end))) names.add(quoted.toLowerCase())
    end = index + all.length
  }
  return [...names].sort()
}

/** Numbers that a text calls a code, and codes with a prefix. An exit code is no part of the text. */
const CODES = [
  {
    needs: /\d/,
    form: /(?<!\bexit(?:ed)?(?: with)?(?: status)?[ _-])\b(?:error[ _-]?code|err[ _-]?code|errcode|code|errno|signal|error[ _-]?(?:no|num|number|nr)|sqlstate|hresult|fault|ret(?:urn)?[ _-]?code|subcode|fehlercode|错误码)(?:["'`]?\s?[:=#]?\s?|\s(?:is|was|of)\s)["'`([]?(-?\d{1,10}|0x[0-9a-f]{1,8}|[a-z]{0,2}\d[a-z\d]{4})(?![\w%/]|\.\d)/gi,
  },
  {
    needs: /\d\d/,
    form: /\b(?:error|err|exception|status|http|os error)(?: ?[#([]\s?|\s)(-?\d{2,7}|0x[0-9a-f]{4,8})(?=$|[:)\],;.]?(?:\s|$)|\s?[-–—{"'])(?!\s(?:of|times|retries|attempts|tokens?|seconds?|ms|items?|more)\b)/gi,
  },
  {
    needs: /: -?\d{3}/,
    form: /\b(?:[Ee]rror|ERROR|[Ee]rr|[Ee]xception|[Ss]tatus|HTTP|[Ff]ailed|[Ff]ailure|[Rr]ejected|[Rr]efused|[Dd]enied):\s(-?\d{3,7})(?=$|[:),;]|\s?[-–—{"']|\s[A-Z])/gm,
  },
  { needs: /[A-Z][-_]?\d\d/, form: /(?<![\w/.-])([A-Z]{1,8}[-_]?\d{2,6})(?![\w/]|[.-]\d)/g },
  { needs: /\d\]/, form: /\[([a-z]{1,8}[-_]?\d{2,6})\]|(?<=\S\s)\[(\d{3,6})\](?=\s)/gi },
  {
    needs: /[:=]\s?[a-z\d]+[._-]/i,
    form: /\b(?:code|error[ _-]?(?:code|type|kind|name)|reason)["'`]?\s?[:=]\s?([a-z][a-z\d]*(?:[._-][a-z\d]+)+)/gi,
  },
  // Windows writes its codes so; addresses begin otherwise.
  { needs: /0x[8c]0/i, form: /\b(0x[8c]00[0-9a-f]{5})\b/gi },
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
  if (!/[a-z]{2}/i.test(quoted) || quoted.includes('/')) return false
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
  /\b(?:error|err|errno|code|error[_ -]?(?:code|type|kind|name)|(?:type|kind|status|error|category)["'`]?\s?[:=]|kind|reason|cause|exception|said|says|reported|answered|emitted|rejected (?:with|as|by)|refused with|failed (?:with|as)|raised|threw|thrown|responded(?: with)?|aborted with|returned(?: error)?)["'`]?\s?[:=]?$/i
