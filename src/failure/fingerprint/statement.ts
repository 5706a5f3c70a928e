import { isFrame } from '../text/frames.ts'
import { matchesOf } from '../text/matches.ts'
import { stripTerminal } from '../text/printable.ts'
import { continues, messageOfLog, unwrapped } from './unwrap.ts'

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
 * @param isAlone true for the only text: then a text of one sentence is taken as it is
 */
export function statementOf(text: string, provider?: string, isAlone = false): Statement {
  const read = messagesIn(text.length > LONGEST ? text.slice(-LONGEST) : text)
  if (!PARTED.test(read))
    return { text: read, around: read, isSpecific: isAlone || isTelling(read, genericFor(provider)) }
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
    const worded = opening.filter(one => !FIGURES.test(one))
    const rest = [worded, opening, telling, sentences].find(some => some.length > 0) ?? [text]
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

/** Two numbers or more: how long, how many, how far. */
const FIGURES = /\d\D{1,60}\s\S{0,3}\d/

/** A text without what loggers write in front of its lines. */
function messagesIn(text: string): string {
  return text.includes('\n') ? text.split('\n').map(messageOfLog).join('\n') : messageOfLog(text)
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
    const text = bare.trim()
    if (text === '') kept.push('')
    else if (!isFrame(bare) && (!isNews(text) || goesOn(text, kept.at(-1)))) kept.push(bare)
  }
  return unwrapped(kept)
}

/** True for the rest of a long line that was wrapped, although its first word sounds like progress. */
function goesOn(line: string, above = ''): boolean {
  if (!/^[a-z]+ [a-z]/.test(line) || above.trim().length < 40) return false
  return !TRACE.test(line) && !EXITED.test(line) && continues(above.trim(), line, above)
}

/** True for a line that would stand there without the failure: a banner, progress, a header, a time, a border. */
function isNews(line: string): boolean {
  if (!/[a-z]{2}/i.test(line) && !/\p{L}{2}/u.test(line)) return !/\d{3}/.test(line) || isTime(line)
  if (isTime(line) || TRACE.test(line) || EXITED.test(line)) return true
  if (WEAK.test(line) || STRONG.test(line)) return false
  if (VERSION.test(line) || PROGRESS.test(line) || OFFER.test(line)) return true
  return HEADER.test(line) && !SAYS_MORE.test(line)
}

/** What a line of nothing but a date and a time is made of. */
const TIME_WORDS =
  /\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\b|\b(?:utc|gmt|[ap]m|c?es?t|p[sd]t|[tz])\b|(?<=\d)[tz]/gi

function isTime(line: string): boolean {
  return /\d/.test(line) && !/[a-z]{10}/i.test(line) && !/\p{L}/u.test(line.replace(TIME_WORDS, ''))
}

/** `kimi-for-coding v2.3.1`, `OpenAI Codex v0.45.0 (research preview)`, `Node.js v22.1.0`. */
const VERSION =
  /^\W*(?:[\w@.,/+:-]+ ){0,6}?\(?(?:[\w@.-]{1,40}[@/-])?v?\d+\.\d+(?:\.\d+)?[\w.+-]*\)?(?: ?\([^()]{0,60}\)| [\w.-]{1,20}){0,3}\W*$/i
/** `A new version of pi is available`. */
const OFFER =
  /\b(?:new(?:er)? (?:version|release)|updates?)\b.{0,60}\bavailable\b|^\W*run\b.{0,80}\bto (?:update|upgrade)\W*$/i
const PROGRESS =
  /^\W*(?:\d{1,3}(?:\.\d+)? ?%|\(?\[?\d+ ?(?:\/|of) ?\d+)|\d ?%|(?:\.{3}|…)\W*$|\(\d+(?:\.\d+)? ?(?:ms|s|sec|m|min)\)\W*$|^\W*(?:loading|loaded|starting|started|connecting|connected|fetching|downloading|installing|reading|writing|running|thinking|working|waiting|initiali[sz]ing|resolving|building|compiling|checking|sending|processing|analy[sz]ing|searching|preparing|generating|using|opening|launching|authenticating|warming|booting|resuming|spawning|planning|tokens?|elapsed|took|done|ready|welcome|step)\b/i
/** What agent CLIs print above their work. */
const HEADER =
  /^\W*(?:workdir|working dir(?:ectory)?|cwd|model|provider|approval|sandbox|reasoning [a-z]+|session(?: id)?|thread|agent|profile|version|branch|user|account|org(?:ani[sz]ation)?|region|endpoint|base ?url|host|platform|os|shell|log(?: file| level)?|request[ _-]?id|trace[ _-]?id|date|time|tokens used|total (?:cost|tokens|duration)[ \w()]*)\s*[:=]/i
/** A code, or a value of at least three plain words: `agent: the queue is circular`. */
const SAYS_MORE = /(?:code|reason|error|err|kind)=|[:=](?:\s[a-z'’]+){3}/i
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
    for (const [word] of matchesOf(WORD, sentence.toLowerCase()))
      if (!GENERIC.has(word) && !own.has(word)) return false
    return true
  }
}

const WORD = /\p{L}+/gu
const GENERIC = new Set(
  `a an the this that your our its of on in at by for from to with while during when and or is was be been has have
  error errors err fatal failure failures failed fail fails exception panic crash crashed unexpected unknown internal general
  critical severe unhandled uncaught rejection occurred happened encountered raised thrown received returned got
  request requests response api http call calls server client service provider upstream gateway model llm agent cli command
  process program tool task job turn turns session run operation execution action step main thread could not cannot unable complete
  completed processed process processing execute executed executing perform performing running something went wrong oops
  sorry abort aborted exit exited exiting code status message details detail there we it`
    .split(/\s+/)
    .filter(word => word !== ''),
)

/** A full stop, question or exclamation mark, or semicolon that ends a sentence; and a dash behind it. */
const END = /(?<=\p{L}\p{L}[)"'`”\]]?[.!?]|[.!?]["'`”)]|\d[.!?])\s+(?=\S)|;\s+|\s+[·|•]\s+/gu

function sentencesIn(line: string): string[] {
  const sentences: string[] = []
  let from = 0
  if (PARTED.test(line)) {
    for (const { 0: end, index } of matchesOf(END, line)) {
      pushWorded(sentences, line.slice(from, index))
      from = index + end.length
    }
  }
  pushWorded(sentences, from === 0 ? line : line.slice(from))
  return sentences
}

function pushWorded(sentences: string[], sentence: string): void {
  if (/[a-z\d]/i.test(sentence) || /\p{L}/u.test(sentence)) sentences.push(sentence.trim())
}
