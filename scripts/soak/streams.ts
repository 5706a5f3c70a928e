import { Agent, request } from 'node:http'
import { FAULTS, type Fault, WORDS } from './vendor.ts'

/** What became of streams through the proxy. */
export interface StreamsReport {
  whole: number
  /** Cut by the vendor on purpose, or by a process that was killed just then. */
  cutByOthers: number
  /** Refused while the proxy was down. */
  proxyAway: number
  /** Must be 0: with a word of another answer, or out of order. */
  mixed: number
  /** Must be 0: ended early though nobody but us can have ended it. */
  cutByUs: number
  /** Must be 0: a failure that should have been waited out. */
  failed: number
  /** The first few of those that must not be. */
  examples: string[]
}

export interface StreamsOptions {
  url: string
  /** Streams at the same time. */
  streams: number
  /** Which share of the questions fails, from 0 to 1. */
  faults: number
  /** Whether to begin another. */
  goesOn: () => boolean
  /** When a process on the way was killed last, epoch milliseconds. */
  killedAt?: () => { proxy: number; vendor: number }
  random: () => number
}

/** How long after a kill its victims may still be noticed, in milliseconds. */
const NOTICED_MS = 3_000

type Ended = { status?: number; text: string; error?: string }

/** Asks through the proxy until told to stop, and compares every word. */
export async function runStreams(options: StreamsOptions): Promise<StreamsReport> {
  const { streams, goesOn } = options
  const report: StreamsReport = {
    whole: 0,
    cutByOthers: 0,
    proxyAway: 0,
    mixed: 0,
    cutByUs: 0,
    failed: 0,
    examples: [],
  }
  const agent = new Agent({ keepAlive: true, maxSockets: streams })
  let asked = 0
  await Promise.all(
    Array.from({ length: streams }, async () => {
      while (goesOn()) await one(`q${++asked}`, options, agent, report)
    }),
  )
  agent.destroy()
  return report
}

async function one(id: string, options: StreamsOptions, agent: Agent, report: StreamsReport): Promise<void> {
  const { url, faults, random, killedAt = () => ({ proxy: 0, vendor: 0 }) } = options
  const fault = random() < faults ? FAULTS[Math.floor(random() * FAULTS.length)] : undefined
  const begunAt = Date.now()
  const ended = await ask(url, id, fault, agent)
  const words = [...ended.text.matchAll(/"text":"([^"]+) "/g)].map(([, word]) => word)
  const isMixed = words.some((word, n) => word !== `${id}:${n}`) || words.length > WORDS
  const isWhole = words.length === WORDS && ended.text.includes('message_stop')
  const { proxy, vendor } = killedAt()
  const meets = (at: number) => at >= begunAt - NOTICED_MS && at <= Date.now()
  const note = (as: 'mixed' | 'cutByUs' | 'failed') => {
    report[as]++
    if (report.examples.length < 5)
      report.examples.push(
        `${as}: ${id} ${fault ?? ''} after ${Date.now() - begunAt} ms, begun ${begunAt - vendor} ms after the vendor's kill and ${begunAt - proxy} after the proxy's, ${words.length} words, ${ended.status ?? ''} ${ended.error ?? ''} ${ended.text.slice(-200)}`,
      )
  }
  if (isMixed) note('mixed')
  else if (isWhole) report.whole++
  else if (meets(proxy)) {
    if (words.length > 0) report.cutByOthers++
    else report.proxyAway++
    // The proxy is started again; clients ask later.
    await new Promise(resolve => setTimeout(resolve, 500))
  } else if (words.length === 0) note('failed')
  else if (fault === 'cut' || meets(vendor)) report.cutByOthers++
  else note('cutByUs')
}

function ask(url: string, id: string, fault: Fault | undefined, agent: Agent): Promise<Ended> {
  const body = JSON.stringify({
    model: 'claude-soak-1',
    max_tokens: 64,
    stream: true,
    system: fault === undefined ? id : `${id} ${fault}`,
    messages: [{ role: 'user', content: 'count' }],
  })
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-api-key': 'k',
    'anthropic-version': '2023-06-01',
  }
  return new Promise(resolve => {
    let text = ''
    let status: number | undefined
    const end = (error?: Error) =>
      resolve({
        text,
        ...(status ? { status } : {}),
        ...(error ? { error: `${(error as NodeJS.ErrnoException).code} ${error.message}` } : {}),
      })
    const asked = request(`${url}/v1/messages`, { method: 'POST', agent, headers }, answer => {
      status = answer.statusCode
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('end', () => end())
      answer.on('error', end)
    })
    asked.on('error', end)
    asked.end(body)
  })
}
