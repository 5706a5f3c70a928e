import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import { run } from '../process/run.ts'
import type { Time } from '../time/time.ts'
import { ON_CONNECTIONS } from './advice.ts'
import { ownFailure } from './own-failure.ts'
import type { Environment } from './variables.ts'

/** Whose certificate authorities a CLI trusts: those that Node brings, or those of the machine. */
export type Trust = 'node' | 'system'

/** Where a CLI sends its questions, and the headers with its key, if that can be read without asking anyone. */
export interface Asks {
  url: string
  key?: Readonly<Record<string, string>> | undefined
}

export interface LookDetails {
  provider: string
  /** The CLI's own environment: its proxy and its authorities. */
  env: Environment
  trusts: Trust
  cwd: string
  time: Time
  signal: AbortSignal | undefined
}

/** Longest look, in milliseconds. */
const LONGEST_MS = 5_000
/** How much of an answer is read. */
const MOST_CHARACTERS = 65_536

/**
 * Asks an empty question, which no vendor answers or charges. Its own process has the CLI's proxy and trust. The key goes only to
 * the CLI's own address, never along a redirect to another.
 */
const PROGRAM = `
const say = seen => process.stdout.write(JSON.stringify(seen))
const statusOf = at => new Promise(resolve => {
  const { request } = require(at.startsWith('https:') ? 'node:https' : 'node:http')
  const asked = request(at, { method: 'POST', timeout: ${LONGEST_MS} }, response => {
    resolve(response.statusCode)
    response.destroy()
  })
  asked.on('error', () => resolve()).on('timeout', () => asked.destroy()).end()
})
const beginningOf = async response => {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.length >= ${MOST_CHARACTERS}) break
  }
  return text.slice(0, ${MOST_CHARACTERS})
}
const look = async ({ url, key }) => {
  const been = new Set()
  for (let at = url; ; ) {
    been.add(at)
    const headers = { 'content-type': 'application/json', ...key }
    const asked = { method: 'POST', headers, body: '{}', redirect: 'manual', signal: AbortSignal.timeout(${LONGEST_MS}) }
    const response = await fetch(at, asked).catch(async error => {
      // A fetch hides the 407 of a proxy, without any word.
      if (!error.cause?.message && (await statusOf(at)) === 407) throw new Error('proxy authentication required')
      throw error
    })
    const next = response.status >= 300 && response.status < 400 && response.headers.get('location')
    const to = next ? new URL(next, at) : undefined
    if (to?.origin !== new URL(at).origin) {
      const body = await beginningOf(response)
      return say({ answer: { status: response.status, headers: Object.fromEntries(response.headers), body } })
    }
    if (been.has(to.href) || been.size > 20) throw new Error('redirect count exceeded')
    at = to.href
  }
}
let input = ''
process.stdin.on('data', chunk => (input += chunk)).on('end', () => look(JSON.parse(input)).catch(error => {
  for (var deepest = error; deepest.cause; ) deepest = deepest.cause
  say({ error: { message: String(deepest.message), code: String(deepest.code) } })
}))`

/** What the look saw: an answer, or why there was none. */
interface Seen {
  answer?: { status: number; headers: Record<string, string>; body: string }
  error?: { message: string; code: string }
}

/**
 * Why a CLI gets no answer, if it says only that there was none: a certificate, the login of a proxy, a redirect in a circle, or a
 * page or an error in place of an answer. None of these heals by itself. Undefined if the look finds nothing of the kind. Never
 * rejects.
 */
export async function lookAtConnection(asks: Asks, details: LookDetails): Promise<Failure | undefined> {
  const { provider, time } = details
  const { answer, error } = await seenAt(asks, details)
  if (answer ? !isInPlaceOfAnswer(answer) : !error) return undefined
  const cause = classify(answer ?? error, { provider, now: time.now() })
  const advice = cause && (answer ? adviceOn(cause, asks, answer) : ON_CONNECTIONS[cause.kind])
  if (!cause || advice === undefined || cause.class === 'transient') return undefined
  const said = cause.message.split('; if the root CA', 1)[0]
  const { origin } = new URL(asks.url)
  const what = answer ? `${origin} answers` : `no connection to ${origin}:`
  return ownFailure({
    class: cause.class,
    kind: cause.kind,
    rule: 'connection',
    provider,
    message: `${what} ${answer ? JSON.stringify(said) : said}. ${advice}`,
  })
}

/**
 * The limit that the caller is at, with the time when it lifts, for a CLI that drops that time. Only an answer to its key counts.
 * Never rejects.
 */
export async function lookAtLimit(asks: Asks, details: LookDetails): Promise<Failure | undefined> {
  if (!asks.key) return undefined
  const { answer } = await seenAt(asks, details)
  const isRefused = answer?.status === 429
  const limit = isRefused ? classify(answer, { provider: details.provider, now: details.time.now() }) : null
  return limit?.class === 'throttle' ? limit : undefined
}

async function seenAt(asks: Asks, details: LookDetails): Promise<Seen> {
  const { env, trusts, cwd, time, signal } = details
  if (!URL.parse(asks.url)?.protocol.startsWith('http')) return {}
  try {
    const { stdout } = await run({
      argv: [process.execPath, ...(trusts === 'system' ? ['--use-system-ca'] : []), '-e', PROGRAM],
      stdin: JSON.stringify(asks),
      env: { ...env, ...trustOf(trusts, env), NODE_USE_ENV_PROXY: '1', NODE_OPTIONS: undefined },
      cwd,
      time,
      timeoutMs: 2 * LONGEST_MS,
      ...present({ signal }),
    })
    return JSON.parse(stdout) as Seen
  } catch {
    return {}
  }
}

/** No API answers an empty question with 200, unless something else answers in its place. */
function isInPlaceOfAnswer({ status, headers }: NonNullable<Seen['answer']>): boolean {
  return status === 200 && !headers['content-type']?.includes('event-stream')
}

/** Without its key, every question is refused: that says nothing about the key. A page to log in at says so to everyone. */
function adviceOn(
  { kind }: Failure,
  { key }: Asks,
  { headers }: NonNullable<Seen['answer']>,
): string | undefined {
  const isPage = headers['content-type']?.includes('html') === true
  if (kind === 'auth' && isPage) return 'Log in there with a browser, or ask who runs it'
  return key ? ON_ANSWERS[kind] : undefined
}

/** What a person must do about an answer; kinds that depend on the question are not believed, because it was empty. */
const ON_ANSWERS: Partial<Record<Failure['kind'], string>> = {
  auth: 'Check the key',
  forbidden: 'Ask who runs it for access',
  billing: 'Pay there, or use another account',
  unsupported_region: 'Use another provider, or another network',
}

/** A Rust program is told of one more authority by other variables than Node. */
function trustOf(trusts: Trust, env: Environment): Record<string, string | undefined> {
  const more = env.CODEX_CA_CERTIFICATE || env.SSL_CERT_FILE
  return trusts === 'system' && more ? { NODE_EXTRA_CA_CERTS: more } : {}
}
