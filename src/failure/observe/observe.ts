import { carriedFailure, mayCarryFailure } from '../carried.ts'
import { isGateway, isModelVendor } from '../catalogue/vendor.ts'
import { profileOf } from '../cli/recognise.ts'
import { trim } from '../text/cut.ts'
import { withoutGuesses } from '../text/guessed-cause.ts'
import { lineAlone, sortLines } from '../text/lines.ts'
import { KNOWN_FIELDS } from './fields.ts'
import {
  type FinishedProcess,
  finishedProcess,
  isFinishedProcess,
  PROCESS_FIELDS,
} from './finished-process.ts'
import { readHttpAnswer, readLoginPage, readPage } from './http.ts'
import { isError, isHttp, isReturnedError, isReturnedHttp } from './input-kind.ts'
import { readMentions } from './mentions.ts'
import { emptyObservation, Notes } from './notes.ts'
import { ANSWER, type Observation, type Text } from './observation.ts'
import { isGatePage, isHandOver, isLoginPage } from './page.ts'
import { type Ending, observeProcess } from './process.ts'
import { type Fields, isList, isObject, Reader } from './read.ts'
import { showsData } from './shows-data.ts'
import { isSureSuccess } from './sure-success.ts'
import { meaningOfValue } from './value.ts'
import { SILENT, type ValueMeaning } from './value-meaning.ts'
import { Walk } from './walk.ts'

/** The result of reading an input: what it says, and whether its shape already means success. */
export interface Observed {
  observation: Observation
  ending: Ending
  /** True if the input's own fields say the caller's timer ended it. */
  timedOut: boolean
  /** True if they say the caller cancelled it. */
  aborted: boolean
}

export interface ObserveContext {
  provider?: string | undefined
  returned?: boolean | undefined
  /** If absent, `heard` stays empty: only signatures need it. */
  signatures?: unknown
}

/** Computed once, because every input gets its own reader. */
const OWN_FIELDS: readonly string[] = [...new Set([...KNOWN_FIELDS, ...PROCESS_FIELDS])]

/** Reads an input of any shape: string, error, HTTP response, finished process, returned value. */
export function observe(given: unknown, context: ObserveContext): Observed {
  const reader = new Reader(OWN_FIELDS, context.returned)
  const input = isList(given) ? reader.list(given as object) : given
  const meaning = context.returned ? meaningOfReturned(input, reader) : undefined
  if (isFine(meaning) && !isPageForAnswer(input, context)) return FINE
  const walk = new Walk(reader)
  const outcome = read(walk, input, context, meaning)
  const { observation } = walk
  if (isGateway(context.provider)) observation.isGateway = true
  if (context.signatures !== undefined) observation.heard.push(...saidElsewhere(observation))
  observation.texts = sorted(observation)
  for (const text of observation.texts) readMentions(observation, text)
  return { observation, ...outcome }
}

/** The texts, those that count less last. */
function sorted(observation: Observation): Text[] {
  const texts: Text[] = []
  for (const text of observation.texts) {
    const { where, depth } = text
    if (text.isSorted && text.late) {
      texts.push(text)
      continue
    }
    const { final, late, timerFired } = text.isSorted ? lineAlone(text.value) : sortLines(trim(text.value))
    if (timerFired) new Notes(observation).named('frame=timer', { where, depth, late: false })
    const sure = withoutGuesses(final)
    const isSorted = true
    if (sure) texts.push({ value: sure.guessed, where, depth, late: true, isSorted })
    if (final.trim() !== '')
      texts.push({ value: sure?.said ?? final, where, depth, late: text.late, isSorted })
    if (late.trim() !== '') texts.push({ value: late, where, depth, late: true, isSorted })
  }
  return texts
}

/** All texts except process streams and pure JSON, plus every name and code. */
function saidElsewhere({ process, texts, words }: Observation): Observation['heard'] {
  const isElsewhere = ({ where }: { where: string }) =>
    !process || !/^(?:stdout|stderr|process)\b/.test(where)
  const codes = words.flatMap(
    ({ value, raw }) => raw ?? /^(?:\w+_)?(?:code|errno)=(.+)$/.exec(value)?.[1] ?? [],
  )
  return [
    ...texts.filter(isElsewhere).map(({ value, where }) => ({ value, where })),
    ...[...new Set(codes)].map(value => ({ value, where: 'code' })),
  ]
}

/**
 * True for a returned value that reports no failure, for which `classify` would return null. Runs on every successful
 * call, so it skips everything that only a failure needs.
 */
export function isFineAnswer(value: unknown): boolean {
  if (typeof value === 'string') return !isGatePage(value)
  if (isSureSuccess(value)) return true
  if (!isObject(value) || isList(value)) return false
  try {
    if (mayCarryFailure(value) && carriedFailure(value)) return false
    return isFine(meaningOfReturned(value, new Reader(OWN_FIELDS, true)))
  } catch {
    return false
  }
}

/** SDKs pass on non-JSON bodies as they are, so a network's login page can arrive as a model's answer. */
function isPageForAnswer(input: unknown, { provider }: ObserveContext): boolean {
  return typeof input === 'string' && isModelVendor(provider) && isGatePage(input)
}

/**
 * Reads what a returned value says before building anything that explains a failure, because most calls succeed. Undefined
 * for process results, errors and HTTP answers, which are read differently.
 */
function meaningOfReturned(input: unknown, reader: Reader): ValueMeaning | undefined {
  if (!isObject(input)) return SILENT
  const fields = reader.fields(input)
  if (isFinishedProcess(fields) || isReturnedError(input, fields) || isReturnedHttp(fields)) return undefined
  return meaningOfValue(input, object => reader.fields(object))
}

function isFine(meaning: ValueMeaning | undefined): boolean {
  return meaning !== undefined && meaning.says !== 'failed'
}

const FINE: Observed = Object.freeze({
  observation: emptyObservation(),
  ending: 'succeeded',
  timedOut: false,
  aborted: false,
})

type Outcome = Omit<Observed, 'observation'>
const FAILED: Outcome = { ending: 'failed', timedOut: false, aborted: false }
const SUCCEEDED: Outcome = { ending: 'succeeded', timedOut: false, aborted: false }

function read(walk: Walk, input: unknown, context: ObserveContext, known: ValueMeaning | undefined): Outcome {
  if (typeof input === 'string') {
    if (context.returned) readPage(walk, input, 'value')
    else walk.read(trim(input), 'text')
    return FAILED
  }
  if (!isObject(input)) {
    walk.text(describe(input), 'value')
    return FAILED
  }
  const fields = walk.fields(input)
  const { observation } = walk
  const finished = finishedProcess(fields)
  if (finished) return readProcess(walk, fields, finished, context)
  if (context.returned ? isReturnedError(input, fields) : isError(input, fields)) {
    observation.source = 'error'
    walk.read(input, 'error')
    return FAILED
  }
  if (context.returned ? isReturnedHttp(fields) : isHttp(fields)) {
    observation.source = 'http'
    const body = fields.get('body') ?? fields.get('data')
    if (typeof body === 'string') observation.heard.push({ value: body, where: 'response.body' })
    return readHttpAnswer(walk, fields, isModelVendor(context.provider)) ? FAILED : SUCCEEDED
  }
  const meaning = known ?? meaningOfValue(input, object => walk.fields(object))
  return readValue(walk, input, meaning, context)
}

function readProcess(
  walk: Walk,
  fields: Fields,
  finished: FinishedProcess,
  context: ObserveContext,
): Outcome {
  const shown = showsData(context.provider, fields.get('command') ?? fields.get('cmd'))
  const words = shown ? 'of others' : context.returned ? 'returned' : 'its own'
  walk.observation.source = 'process'
  const profile = profileOf(context.provider)
  if (words === 'its own' && context.provider !== undefined && finished.exitCode === 0) {
    // An agent may have been asked to write a page with a form.
    const isLogin = profile === undefined ? isLoginPage : isHandOver
    if (isLogin(finished.stdout)) {
      readLoginPage(walk, finished.stdout, 'stdout')
      return FAILED
    }
  }
  const ending = observeProcess(walk, finished, profile, words)
  if (isAnswerByExitCode(fields)) return SUCCEEDED
  if (ending !== 'succeeded' && finished.beside) walk.read(finished.beside, 'error')
  return { ending, timedOut: finished.timedOut, aborted: finished.aborted }
}

/** diff, grep and similar tools exit 1 to say "different" or "not found"; their errors go to stderr. */
function isAnswerByExitCode(fields: Fields): boolean {
  const command = fields.get('command') ?? fields.get('cmd')
  const code = fields.get('exitCode') ?? fields.get('code')
  if (code !== 1 || typeof command !== 'string' || fields.get('stderr') !== '') return false
  return /^\s*(?:diff|cmp|grep|egrep|fgrep|zgrep|rg|test|\[|pgrep|git (?:diff|grep|merge-base))\s/.test(
    command,
  )
}

function readValue(walk: Walk, input: object, meaning: ValueMeaning, context: ObserveContext): Outcome {
  if (meaning.says === 'fine' || (meaning.says === 'silent' && context.returned)) return SUCCEEDED
  const by = meaning.says === 'failed' ? meaning.by : undefined
  walk.observation.source = by === 'tool' ? 'tool' : 'value'
  walk.read(meaning.says === 'failed' ? meaning.content : input, by === 'model' ? `value.${ANSWER}` : 'value')
  return FAILED
}

function describe(value: unknown): string {
  try {
    return String(value)
  } catch {
    return typeof value
  }
}
