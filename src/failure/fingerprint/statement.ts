import { isFrame } from '../text/frames.ts'
import { stripTerminal } from '../text/printable.ts'
import { unwrapped } from './unwrap.ts'

/** How much of a text is read: its end, where programs say why they stop. */
const LONGEST = 6_000
/** How many statements at the end of a text may carry the failure. */
const LAST = 24

/** The part of a text that says what went wrong. */
export interface Statement {
  /** The sentence that names the failure, and its causes. */
  text: string
  /** That sentence with what stands behind it: codes there count too. */
  around: string
  /** False if it says only that something failed, or nothing about a failure. */
  isSpecific: boolean
}

/**
 * Finds the statement that carries a failure: the first that names one, with its causes. Banners, versions, progress,
 * timestamps, stack frames, hints and sentences that say only "request failed" do not count, unless there is nothing else.
 * @param provider its name is no news
 */
export function statementOf(text: string, provider?: string): Statement {
  const read = text.length > LONGEST ? text.slice(-LONGEST) : text
  if (!PARTED.test(read))
    return { text: read, around: read, isSpecific: isTelling(read, genericFor(provider)) }
  const lines = /[\n\r]/.test(read) ? linesOf(read) : [read]
  const sentences = lines.flatMap(sentencesIn).slice(-LAST)
  const isGeneric = genericFor(provider)
  const telling = sentences.filter(sentence => !isGeneric(sentence) && !HINT.test(sentence))
  const found =
    firstOf(telling, STRONG) ??
    afterGeneric(sentences, telling, isGeneric) ??
    firstOf(
      telling.filter(sentence => !SETTING.test(sentence)),
      WEAK,
    ) ??
    firstOf(telling, WEAK)
  if (found === undefined) {
    // What follows the first sentence of a line is detail.
    const opening = lines.flatMap(line => sentencesIn(line).slice(0, 1)).filter(one => telling.includes(one))
    const rest = [opening, telling, sentences].find(some => some.length > 0) ?? [text]
    return { text: rest.join(' '), around: rest.join(' '), isSpecific: false }
  }
  const from = sentences.indexOf(found)
  const behind = sentences.slice(from + 1)
  const causes = behind.filter(sentence => CAUSE.test(sentence) && !isGeneric(sentence))
  return {
    text: [found, ...causes].join(' '),
    around: [found, ...behind.slice(0, 6)].join('\n'),
    isSpecific: true,
  }
}

/** More than one line or sentence. */
const PARTED = /[\n\r]|[.!?;]["'`”)\]]?\s|\s[·|•]\s/

function isTelling(sentence: string, isGeneric: (sentence: string) => boolean): boolean {
  return (STRONG.test(sentence) || WEAK.test(sentence)) && !isGeneric(sentence)
}

function firstOf(sentences: readonly string[], form: RegExp): string | undefined {
  return sentences.find(sentence => form.test(sentence))
}

/** What follows "Error: request failed" says why, whatever its words. */
function afterGeneric(
  sentences: readonly string[],
  telling: readonly string[],
  isGeneric: (sentence: string) => boolean,
): string | undefined {
  const opening = sentences.findIndex(sentence => STRONG.test(sentence) && isGeneric(sentence))
  return opening < 0 ? undefined : telling.find(sentence => sentences.indexOf(sentence) > opening)
}

/** The lines that can carry a failure, unwrapped. */
function linesOf(text: string): string[] {
  const kept: string[] = []
  for (const line of stripTerminal(text).split('\n')) {
    const bare = line.trimEnd()
    if (bare.trim() === '') kept.push('')
    else if (!isFrame(bare) && !isNews(bare.trim())) kept.push(bare)
  }
  return unwrapped(kept)
}

/** True for a line that would stand there without the failure: a banner, progress, a header, a time, a border. */
function isNews(line: string): boolean {
  if (!/\p{L}{2}/u.test(line)) return !/\d{3}/.test(line) || isTime(line)
  if (isTime(line) || TRACE.test(line) || EXITED.test(line)) return true
  if (WEAK.test(line) || STRONG.test(line)) return false
  return VERSION.test(line) || PROGRESS.test(line) || HEADER.test(line)
}

/** What a line of nothing but a date and a time is made of. */
const TIME_WORDS =
  /\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\b|\b(?:utc|gmt|[ap]m|c?es?t|p[sd]t|[tz])\b|(?<=\d)[tz]/gi

function isTime(line: string): boolean {
  return /\d/.test(line) && !/\p{L}/u.test(line.replace(TIME_WORDS, ''))
}

/** `kimi-for-coding v2.3.1`, `OpenAI Codex v0.45.0 (research preview)`, `Node.js v22.1.0`. */
const VERSION =
  /^\W*(?:[\w@.,/+:-]+ ){0,6}?\(?(?:[\w@.-]{1,40}[@/-])?v?\d+\.\d+(?:\.\d+)?[\w.+-]*\)?(?: ?\([^()]{0,60}\)| [\w.-]{1,20}){0,3}\W*$/i
const PROGRESS =
  /^\W*(?:\d{1,3}(?:\.\d+)? ?%|\(?\[?\d+ ?(?:\/|of) ?\d+)|\d ?%|(?:\.{3}|…)\W*$|^\W*(?:loading|loaded|starting|started|connecting|connected|fetching|downloading|installing|reading|writing|running|thinking|working|waiting|initiali[sz]ing|resolving|building|compiling|checking|sending|processing|analy[sz]ing|searching|preparing|generating|using|opening|launching|authenticating|warming|booting|resuming|spawning|planning|tokens?|elapsed|took|done|ready|welcome|step)\b/i
/** What agent CLIs print above their work. */
const HEADER =
  /^\W*(?:workdir|working dir(?:ectory)?|cwd|model|provider|approval|sandbox|reasoning [a-z]+|session(?: id)?|thread|agent|profile|version|branch|user|account|org(?:ani[sz]ation)?|region|endpoint|base ?url|host|platform|os|shell|log(?: file| level)?|request[ _-]?id|trace[ _-]?id|date|time|tokens used|total (?:cost|tokens|duration)[ \w()]*)\s*[:=]/i
const TRACE =
  /^\W*(?:traceback \(most recent|goroutine \d|stack ?(?:trace|backtrace)?:|backtrace|node\.js v\d|during handling of the above|the above exception was)/i
const EXITED =
  /^\W*(?:exit(?:ed)? (?:status|code|with)|npm err|error command failed with exit|make: \*\*\*|elifecycle|script failed with|process (?:exited|finished) with)/i

/** A statement that opens as an error. */
const STRONG =
  /^\W*(?:\S{0,60}(?:error|exception|panic|fault|fatal|failure|fehler)\b|(?:failed|could not|couldn['’]t|cannot|can['’]t|unable) )|\bpanicked\b|[✖✗❌]|\b(?:failed to|unable to|error[:=[(])|错误|失败/iu
/** Words that say something is wrong. */
const WEAK =
  /\b(?:errors?|fail(?:ed|s|ure|ing)?|exception|panic|fatal|crash(?:ed|es)?|abort(?:ed)?|cannot|can['’]t|could(?:n['’]t| not)|unable|(?:did|do|does|is|was|were|are|has|have|had|will|would)(?:n['’]t| not)|no longer|not|never|invalid|illegal|unexpected|unknown|unsupported|unavailable|un[a-z]{4,}ed|mis[a-z]{4,}(?:ed|ing)|mismatch(?:ed)?|missing|malformed|corrupt(?:ed)?|broken?|bad|wrong|denied|refused|reject(?:ed|s)?|forbidden|exceed(?:ed|s)|exhausted|expired|revoked|lost|dropped|drained|stuck|frozen|jammed|stalled|overflow(?:ed)?|overheated|limit(?:ed)?|out of|too (?:many|much|large|long|few|short|old)|gave up|giving up|violat(?:ed|ion|es)|conflict(?:s|ed)?|disabled|suspended|closed|killed|terminated|interrupted|timed? ?out|insufficient|required?|must)\b/i
/** `Repo-map: disabled`. */
const SETTING = /^\W*[\w -]{1,24}: \S+(?: \S+)?$/
const HINT =
  /^\W*(?:hint|help|tip|note|info|warn(?:ing)?|see|for (?:more|help|details|further|support)|more (?:info|details)|visit|read (?:more|the)|check|try|retry|please|contact|docs?|learn|run|re-?run|use|usage|full (?:log|report|trace)|logs?|a complete log|if (?:this|the|you|it)|to (?:fix|resolve|retry|see|continue|learn)|you (?:can|may|might|should)|report|debug|consider|ensure|make sure|upgrade|request[ _-]?id|trace[ _-]?id|correlation[ _-]?id|ref(?:erence)?|session(?: id)?|caller|documentation|support|attempt)\b(?! (?:failed|error))/i
const CAUSE =
  /^\W*(?:\d+: )?(?:caused by|cause|root cause|reason|because|due to|inner(?: exception| error)?|underlying)\b/i

/** True for a sentence that only says that something failed. */
function genericFor(provider: string | undefined): (sentence: string) => boolean {
  let own: Set<string> | undefined
  return sentence => {
    // A sentence of many words has one that says more.
    if (sentence.length > 120 || /\d{3}|["'`“]\w/.test(sentence)) return false
    own ??= new Set(provider?.toLowerCase().split(/[^\p{L}]+/u))
    const words = sentence.toLowerCase().split(/[^\p{L}]+/u)
    return words.every(word => word === '' || GENERIC.has(word) || own?.has(word))
  }
}

const GENERIC = new Set(
  `a an the this that your our its of on in at by for from to with while during when and or is was be been has have
  error errors err fatal failure failures failed fail fails exception panic crash crashed unexpected unknown internal general
  critical severe unhandled uncaught rejection occurred happened encountered raised thrown received returned got
  request requests response api http call calls server client service provider upstream gateway model llm agent cli command
  process program tool task job run operation execution action step main thread could not cannot unable complete
  completed processed process processing execute executed executing perform performing running something went wrong oops
  sorry abort aborted exit exited exiting code status message details detail there we it`
    .split(/\s+/)
    .filter(word => word !== ''),
)

/** A full stop, question or exclamation mark, or semicolon that ends a sentence; and a dash behind it. */
const END = /(?<=\p{L}\p{L}[)"'`”\]]?[.!?]|[.!?]["'`”)]|\d[.!?])\s+(?=\S)|;\s+|\s+[·|•]\s+/u

function sentencesIn(line: string): string[] {
  if (!PARTED.test(line)) return /[\p{L}\d]/u.test(line) ? [line.trim()] : []
  return line
    .split(END)
    .map(sentence => sentence.trim())
    .filter(sentence => /[\p{L}\d]/u.test(sentence))
}
