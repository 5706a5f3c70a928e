import { classify } from '../../../failure/classify.ts'
import type { ClassifyContext } from '../../../failure/context.ts'
import type { Failure } from '../../../failure/failure.ts'
import { redact } from '../../../failure/redact.ts'
import { durationInWords } from '../../../verdict/duration-words.ts'
import { GreetingFailed, type Reply } from './connection.ts'
import type { LinkEnd } from './link.ts'
import { NoAnswer } from './no-answer.ts'
import { exitInWords } from './stdio-link.ts'

/** Last lines of a server that are shown. */
const SHOWN_LINES = 8
const SHOWN_CHARACTERS = 1_000

/** What is known of a server that makes trouble. */
export interface Troubled {
  name: string
  lastWords: string
  /** What it sent that was not a message, as a clause. */
  noise?: string | undefined
}

/** A server took too long to say hello. */
export class StartTimeout extends Error {
  override name = 'StartTimeout'

  constructor(ms: number) {
    super(`it did not answer within ${durationInWords(ms)}`)
  }
}

/** A call could not wait for the server any longer. */
export class StillStarting extends Error {
  override name = 'StillStarting'
}

/** The failure of a call whose server could not be started: nothing was sent. */
export function startFailure(server: Troubled, error: unknown, context: ClassifyContext): Failure {
  const isLate = error instanceof StartTimeout || error instanceof StillStarting
  const input = inputOf(error, server)
  const read =
    classify(input, { ...context, ...(isLate ? { own: { timedOut: true } } : {}) }) ??
    (classify(new Error('Connection closed'), context) as Failure)
  // Whatever ended it before it could be asked anything may pass; a person is asked only where it is known that one is needed.
  const known: Pick<Failure, 'class' | 'kind'> =
    read.class === 'unknown' || isLate ? { class: 'transient', kind: 'loading' } : read
  return {
    ...read,
    class: known.class,
    kind: known.kind,
    effect: 'none',
    message: `MCP server ${JSON.stringify(server.name)} ${startInWords(error)}${remarks(server)}`,
  }
}

/** What ended it, for the classifier; for a program with its output. */
function inputOf(error: unknown, { lastWords }: Troubled): unknown {
  if (!(error instanceof GreetingFailed)) return error
  const { reply } = error
  if (reply.how === 'refused') return reply.refusal
  if (reply.how === 'unsent') return reply.error
  const { end } = reply
  if (end?.how === 'exited') return { ...end.result, stdout: '', stderr: lastWords }
  return end?.how === 'failed' ? end.error : reply.error
}

function startInWords(error: unknown): string {
  if (error instanceof StillStarting) return 'is not up yet'
  if (!(error instanceof GreetingFailed))
    return `did not start: ${redact(error instanceof Error ? error.message : String(error))}`
  const { reply } = error
  switch (reply.how) {
    case 'refused': {
      const { status, body } = reply.refusal
      return status === 401 || status === 403
        ? `needs a login: it answered ${status}${saying(body)}; give one by a header, or wrap a command that logs in`
        : `answered ${status} to the first message${saying(body)}`
    }
    case 'unsent':
      return `could not be reached: ${wordsOf(reply.error)}`
    case 'lost':
      if (reply.end?.how === 'failed') return endInWords(reply.end)
      return reply.end
        ? `${endInWords(reply.end)} before it was ready`
        : reply.error instanceof NoAnswer
          ? `${reply.error.message}; is the address right?`
          : `could not be reached: ${wordsOf(reply.error)}`
  }
}

/** The failure of a call whose answer will never come: it may have been carried out. */
export function lostFailure(
  server: Troubled,
  what: string,
  { error, end }: Extract<Reply, { how: 'lost' }>,
  context: ClassifyContext,
): Failure {
  const isOverHttp = end === undefined
  const read = classify(
    isOverHttp ? error : new Error('MCP error -32000: Connection closed'),
    context,
  ) as Failure
  const how = end ? endInWords(end) : lossInWords(error)
  return {
    ...read,
    // A refused connection proves that nothing was sent; a pipe proves nothing.
    effect: isOverHttp ? read.effect : 'maybe',
    message: `MCP server ${JSON.stringify(server.name)} ${how} during ${what}${remarks(server)}`,
  }
}

function lossInWords(error: unknown): string {
  return error instanceof NoAnswer ? error.message : `broke the connection (${wordsOf(error)})`
}

/** How a link ended, as words after the server's name. */
export function endInWords(end: LinkEnd): string {
  switch (end.how) {
    case 'exited':
      return exitInWords(end.result)
    case 'failed':
      return `did not start: ${isMissing(end.error) ? `there is no program ${end.error.path}; is it installed, and on the PATH?` : wordsOf(end.error)}`
    case 'closed':
      return 'was closed'
  }
}

/** What else is known of the server: invalid output, and its last lines on stderr. */
export function remarks({ lastWords, noise }: Troubled): string {
  const lines = redact(lastWords).trim().split('\n').slice(-SHOWN_LINES).join('\n').slice(-SHOWN_CHARACTERS)
  return [
    ...(noise === undefined ? [] : [`; ${redact(noise)}`]),
    ...(lines === '' ? [] : [`; its last lines on stderr:\n${lines}`]),
  ].join('')
}

function saying(body: string): string {
  const [line = ''] = redact(body).trim().split('\n', 1)
  return line === '' ? '' : `: ${line.slice(0, 200)}`
}

function isMissing(error: unknown): error is { path: string } {
  const { code, path } = (error ?? {}) as { code?: unknown; path?: unknown }
  return code === 'ENOENT' && typeof path === 'string'
}

function wordsOf(error: unknown): string {
  const { message, cause } = (error ?? {}) as { message?: unknown; cause?: { message?: unknown } }
  const inner = typeof cause?.message === 'string' ? `: ${cause.message}` : ''
  return redact(`${typeof message === 'string' ? message : String(error)}${inner}`)
}
