import type { Lab } from '../../../lab/lab.ts'
import { sleep, type Time } from '../../time/time.ts'

/** Submits an operation through the HTTP API. */
export type Submit = (operation: {
  capability: string
  params: Record<string, unknown>
  at?: string
  session?: string
}) => Promise<void>

/** Starts a run of a workflow through the HTTP API. Returns its id. */
export type Start = (workflow: string, params: Record<string, unknown>) => Promise<string>

/** Answers the question of a workflow run through the HTTP API. Returns whether the run has yet to ask it. */
export type Answer = (run: string, step: string, result: Record<string, unknown>) => Promise<boolean>

/** Collaborators of the play. */
export interface PlayDeps {
  lab: Pick<Lab, 'inject'>
  submit: Submit
  start: Start
  answer: Answer
  time: Time
  /** In [0, 1). */
  random: () => number
}

const DOCUMENTS = ['minutes of the board', 'incident 4711', 'the roadmap', 'customer letters', 'the audit']
const BRANCHES = ['fix-login', 'faster-search', 'new-billing', 'drop-node-20', 'retry-budget']
const LANGUAGES = ['German', 'Japanese', 'Portuguese', 'Polish']
const SERVICES = ['shop', 'search', 'mail']

/** How often something new is submitted, in milliseconds. */
const EVERY_MS = 2_500
/** The vendors fail again after this many submissions. */
const ROUND = 40
/** Workflow runs whose question is left for the viewer; older ones are answered, as a team would. */
const MOST_ASKED = 3

/**
 * Plays a day of an agent fleet in a few minutes: work comes in, claude reaches a limit, gemini is overloaded, a desk
 * has an unknown failure. Ends on abort.
 */
export async function play(deps: PlayDeps, signal: AbortSignal): Promise<void> {
  const { submit, time, random } = deps
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
  const submits: (() => Promise<void>)[] = [
    () => submit({ capability: 'summarise', params: { document: one(DOCUMENTS) }, session: 'agent-7' }),
    () => submit({ capability: 'summarise', params: { document: one(DOCUMENTS) } }),
    () => submit({ capability: 'review', params: { branch: one(BRANCHES) }, session: 'agent-7' }),
    () => submit({ capability: 'translate', params: { page: 'handbook', language: one(LANGUAGES) } }),
    () =>
      submit({
        capability: 'deploy',
        params: {
          service: one(SERVICES),
          revision: `v${Math.floor(random() * 90)}`,
          token: 'demo-token-of-nobody',
        },
      }),
  ]
  let asked: string[] = []
  for (let count = 0; !signal.aborted; count += 1) {
    if (count % ROUND === 0) {
      asked = [...(await answerOld(deps, asked)), ...(await beginRound(deps, count))]
    } else await one(submits)()
    await sleep(time, count < 12 ? 250 : EVERY_MS, signal).catch(() => {})
  }
}

/** Answers old questions. Returns the remaining runs. */
async function answerOld({ answer, random }: PlayDeps, asked: readonly string[]): Promise<string[]> {
  const left: string[] = []
  for (const [index, run] of asked.entries()) {
    const isOld = index < asked.length - MOST_ASKED
    if (!isOld || (await answer(run, 'approve', { approved: random() < 0.8 }))) left.push(run)
  }
  return left
}

/** What the vendors do in one round, and the work that meets it. Returns the workflow runs that will ask a question. */
async function beginRound({ lab, submit, start, time, random }: PlayDeps, count: number): Promise<string[]> {
  lab.inject([
    { vendor: 'anthropic', fault: 'rate_limit', after: count === 0 ? 1 : 4, waitMs: 100_000 },
    { vendor: 'openai', fault: 'rate_limit', after: 3, times: 2, waitMs: 8_000 },
    { vendor: 'openai', fault: 'server_error', after: 9 },
    { vendor: 'gemini', fault: 'overloaded', after: 1, times: 3 },
    { vendor: 'gemini', fault: 'reset', after: 4 },
    { vendor: 'openai', fault: 'invalid_request', after: 5 },
  ])
  const desk = 3 + Math.floor(random() * 900)
  for (const report of ['expenses', 'travel', 'incidents'])
    await submit({ capability: 'file-report', params: { report, desk: desk + report.length } })
  // Two get through before the limit, so that one release waits for an answer and the next for claude.
  const first = await start('release', { branch: one(count / ROUND) })
  for (const branch of BRANCHES.slice(0, 4))
    await submit({ capability: 'review', params: { branch, depth: 'thorough' }, session: 'agent-7' })
  const second = await start('release', { branch: one(1 + count / ROUND) })
  for (const language of LANGUAGES)
    await submit({ capability: 'translate', params: { page: 'start page', language } })
  for (const minutes of [6, 14, 15, 33, 51])
    await submit({
      capability: 'summarise',
      params: { document: DOCUMENTS[minutes % DOCUMENTS.length] },
      at: new Date(time.now() + minutes * 60_000).toISOString(),
    })
  return [first, second]
}

function one(round: number): string {
  return BRANCHES[round % BRANCHES.length] as string
}
