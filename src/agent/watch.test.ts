import { describe, expect, it } from 'vitest'
import { CLAUDE_ANSWER, Stubs } from '../../test/agent/stub.ts'
import { buildSignatureMap } from '../failure/signature-map.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { runAgent } from './run-agent.ts'
import type { AgentSettings } from './settings.ts'
import type { SelfRetrying, WatchSettings } from './watch.ts'

const stubs = new Stubs()
let count = 0

function running(cli: AgentSettings['cli'], body: string, watch?: WatchSettings, time?: FakeTime) {
  const binary = stubs.make(`${cli}-${++count}`, body)
  return runAgent(
    { id: `my-${cli}`, cli, binary },
    { prompt: 'fix it' },
    { ...(watch ? { watch } : {}), ...(time ? { time } : {}) },
  )
}

const apiRetry = (details: object) =>
  `out(${JSON.stringify({ type: 'system', subtype: 'api_retry', session_id: 's-1', max_retries: 10, retry_delay_ms: 500, ...details })})`

describe('a CLI stuck in its own retry loop is ended with the cause it was waiting for', () => {
  it.each<[AgentSettings['cli'], string, object]>([
    [
      'claude',
      [1, 2, 3].map(attempt => apiRetry({ attempt, error_status: 529, error: 'overloaded' })).join(';'),
      { class: 'transient', kind: 'overloaded', sessionId: 's-1' },
    ],
    [
      'codex',
      `out({type:'thread.started',thread_id:'t-1'});` +
        [1, 2, 3]
          .map(
            n =>
              `out({type:'error',message:'Reconnecting... ${n}/5 (exceeded retry limit, last status: 429 Too Many Requests)'})`,
          )
          .join(';'),
      { class: 'throttle', kind: 'rate_limit', sessionId: 't-1' },
    ],
    [
      'opencode',
      [1, 2, 3]
        .map(
          () =>
            `warn('timestamp=2026-11-15T23:47:11.691Z level=ERROR run=1 message="stream error" providerID=lab modelID=m session.id=ses_1 small=false agent=build error.error="AI_APICallError: The model is overloaded. Please try again later."')`,
        )
        .join(';'),
      { class: 'transient', kind: 'overloaded' },
    ],
    [
      'gemini',
      [1, 2, 3]
        .map(
          n =>
            `warn('Attempt ${n} failed with status 503. Retrying with backoff... _ApiError: {"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}')`,
        )
        .join(';'),
      { class: 'transient', kind: 'overloaded' },
    ],
    [
      'qwen',
      [1, 2, 3].map(n => `warn('Attempt ${n} failed with status 429. Retrying with backoff...')`).join(';'),
      { class: 'throttle', kind: 'rate_limit' },
    ],
    [
      'kimi',
      [1, 2, 3]
        .map(
          n =>
            `out({role:'meta',type:'turn.step.retrying',failed_attempt:${n},max_attempts:9,delay_ms:500,status_code:429,error_message:'Too Many Requests'})`,
        )
        .join(';'),
      { class: 'throttle' },
    ],
  ])('%s', async (cli, body, failure) => {
    expect(await running(cli, `${body}; hang()`)).toMatchObject({
      ok: false,
      failure: { ...failure, provider: `my-${cli}` },
    })
  })
})

it('ends a CLI at once that waits too long, or for something that does not pass', async () => {
  const long = apiRetry({ attempt: 1, error_status: 429, error: 'rate_limit', retry_delay_ms: 3_600_000 })
  expect(await running('claude', `${long}; hang()`)).toMatchObject({
    ok: false,
    failure: { class: 'throttle' },
  })
  const spent = `out({type:'error',message:'Reconnecting... 1/5 (Quota exceeded. Check your plan and billing details.)'})`
  expect(await running('codex', `${spent}; hang()`)).toMatchObject({
    ok: false,
    failure: { class: 'throttle', kind: expect.stringMatching(/billing|quota/) },
  })
})

it('ends qwen when it would wait for a plan limit to reset', async () => {
  const notice = `warn('Retrying in 60s (attempt 1/10): [API Error: 429 The usage limit has been reached]')`
  expect(await running('qwen', `${notice}; hang()`)).toMatchObject({
    ok: false,
    failure: { class: 'throttle', kind: 'usage_limit', effect: 'none' },
  })
})

it("recognises what a CLI is waiting for by the provider's signatures", async () => {
  const binary = stubs.make(
    'codex-holiday',
    `out({type:'error',message:'Reconnecting... 1/5 (the model is on holiday)'}); out({type:'error',message:'Reconnecting... 2/5 (the model is on holiday)'}); out({type:'error',message:'Reconnecting... 3/5 (the model is on holiday)'}); hang()`,
  )
  const signatures = buildSignatureMap([{ id: 'my-codex', error_signatures: { throttle: ['on holiday'] } }])
  const outcome = runAgent(
    { id: 'my-codex', cli: 'codex', binary },
    { prompt: 'fix it' },
    { classify: { signatures } },
  )
  expect(await outcome).toMatchObject({ ok: false, failure: { class: 'throttle', effect: 'none' } })
})

it('ends a CLI that announces a retry and then says nothing for a minute', async () => {
  const time = new FakeTime()
  const line = `timestamp=2026-11-15T23:47:11.691Z level=ERROR run=1 message="stream error" small=false error.error="AI_APICallError: Too Many Requests"`
  const session = `out({type:'step_start',sessionID:'ses_1',part:{}})`
  const binary = stubs.make('opencode-silent', `warn('${line}'); ${session}; hang()`)
  const outcome = runAgent(
    { id: 'my-opencode', cli: 'opencode', binary },
    { prompt: 'fix it' },
    { time, onSession: () => void time.advance(60_000) },
  )
  expect(await outcome).toMatchObject({ ok: false, failure: { class: 'throttle', kind: 'rate_limit' } })
})

it('prefers the end that a CLI reports itself to the notice before it', async () => {
  const notice = `timestamp=2026-11-15T23:47:11.691Z level=ERROR run=1 message="stream error" small=false error.error="AI_APICallError: Forbidden"`
  const error = {
    name: 'APIError',
    data: {
      message: 'Forbidden: request was blocked by a gateway or proxy.',
      statusCode: 403,
      responseBody: '<!DOCTYPE html><title>Attention Required! | Cloudflare</title>',
    },
  }
  const event = `out(${JSON.stringify({ type: 'error', timestamp: 1, sessionID: 'ses_1', error })})`
  expect(await running('opencode', `${event}; warn('${notice}'); hang()`)).toMatchObject({
    ok: false,
    failure: { class: 'permanent', kind: 'unsupported_region', sessionId: 'ses_1' },
  })
})

it('lets a CLI go on that recovers', async () => {
  const worked = `out({type:'assistant',message:{id:'m'+Math.random(),content:[{type:'text',text:'on it'}],usage:{}}})`
  const retry = apiRetry({ attempt: 1, error_status: 529, error: 'overloaded' })
  const body = [retry, retry, worked, retry, retry, worked, `out(${JSON.stringify(CLAUDE_ANSWER)})`].join(';')
  expect(await running('claude', body)).toMatchObject({ ok: true, text: 'All tests pass.' })
})

it('lets the caller decide if it wants to', async () => {
  const seen: SelfRetrying[] = []
  const shouldEnd = (retrying: SelfRetrying) => seen.push(retrying) === 4
  const body = [1, 2, 3, 4]
    .map(attempt => apiRetry({ attempt, error_status: 529, error: 'overloaded' }))
    .join(';')
  expect(await running('claude', `${body}; hang()`, { shouldEnd })).toMatchObject({ ok: false })
  expect(seen).toHaveLength(4)
  expect(seen[3]).toMatchObject({
    provider: 'my-claude',
    count: 4,
    delayMs: 500,
    cause: { kind: 'overloaded' },
  })
})

it('ignores the model that only writes a title', async () => {
  const line = `timestamp=2026-11-15T23:47:11.691Z level=ERROR run=1 message="stream error" small=true agent=title error.error="AI_RetryError: overloaded"`
  const answer = `out({type:'text',sessionID:'ses_1',part:{text:'done'}}); out({type:'step_finish',sessionID:'ses_1',part:{reason:'stop',cost:0.01,tokens:{input:1,output:1}}})`
  const body = `${`warn('${line}');`.repeat(5)} ${answer}`
  expect(await running('opencode', body)).toMatchObject({ ok: true, text: 'done', costUsd: 0.01 })
})

const failedStep = `out({type:'step_start',sessionID:'ses_1',part:{}}); out({type:'text',sessionID:'ses_1',part:{text:'half an ans'}}); out({type:'step_finish',sessionID:'ses_1',part:{reason:'unknown',cost:0,tokens:{}}})`

it('takes what opencode silently repeats for a transient failure', async () => {
  const notice = `warn('timestamp=2026-11-15T23:47:11.691Z level=ERROR run=1 message="stream error" small=false error.error="AI_APICallError: unknown"');`
  expect(await running('opencode', `${notice.repeat(3)} hang()`)).toMatchObject({
    ok: false,
    failure: { class: 'transient', kind: 'server_error', effect: 'none' },
  })
})

it('ends opencode when it keeps asking after answers without an end', async () => {
  expect(await running('opencode', `${`${failedStep};`.repeat(3)} hang()`)).toMatchObject({
    ok: false,
    failure: {
      class: 'transient',
      kind: 'stream_cut',
      effect: 'none',
      did: 'said',
      sessionId: 'ses_1',
      turns: 3,
    },
  })
})

it('lets opencode go on after a failed step that it recovered from', async () => {
  const done = `out({type:'step_start',sessionID:'ses_1',part:{}}); out({type:'tool_use',sessionID:'ses_1',part:{}}); out({type:'step_finish',sessionID:'ses_1',part:{reason:'tool-calls',cost:0,tokens:{}}})`
  const answer = `out({type:'step_start',sessionID:'ses_1',part:{}}); out({type:'text',sessionID:'ses_1',part:{text:'done'}}); out({type:'step_finish',sessionID:'ses_1',part:{reason:'stop',cost:0,tokens:{}}})`
  const body = `${failedStep}; ${failedStep}; ${done}; ${failedStep}; ${failedStep}; ${answer}`
  expect(await running('opencode', body)).toMatchObject({ ok: true, text: 'done' })
})

const websocket = (n: number) =>
  `out({type:'error',message:'Reconnecting... ${n}/5 (unexpected status 403 Forbidden: blocked, url: wss://api.openai.com/v1/responses)'})`

describe('codex when WebSockets are blocked', () => {
  const begun = `out({type:'thread.started',thread_id:'t-1'})`
  const blocked = [2, 3, 4, 5].map(websocket).join(';')
  const fallback = `out({type:'item.completed',item:{type:'error',message:'Falling back from WebSockets to HTTPS transport. unexpected status 403 Forbidden'}})`

  it('may fall back on its own', async () => {
    const answer = `out({type:'item.completed',item:{type:'agent_message',text:'hi'}}); out({type:'turn.completed',usage:{input_tokens:1,output_tokens:1}})`
    expect(await running('codex', `${begun}; ${blocked}; ${fallback}; ${answer}`)).toMatchObject({
      ok: true,
      text: 'hi',
    })
  })

  it('is ended with the failure after that', async () => {
    const refused = `out({type:'error',message:'Reconnecting... 1/5 (unexpected status 401 Unauthorized: Incorrect API key provided, url: https://api.openai.com/v1/responses)'})`
    expect(await running('codex', `${begun}; ${blocked}; ${fallback}; ${refused}; hang()`)).toMatchObject({
      ok: false,
      failure: { class: 'permanent', kind: 'auth' },
    })
  })

  it('is not waited for forever', async () => {
    const time = new FakeTime()
    const binary = stubs.make('codex-blocked', `${websocket(2)}; ${begun}; hang()`)
    const outcome = await runAgent(
      { id: 'my-codex', cli: 'codex', binary },
      { prompt: 'fix it' },
      { time, onSession: () => void time.advance(60_000) },
    )
    expect(outcome).toMatchObject({ ok: false, failure: { sessionId: 't-1' } })
  })
})

const geminiLimit = (n: number, wait: string) =>
  [
    `Attempt ${n} failed: You exceeded your current quota, please check your plan and billing details.`,
    '* Quota exceeded for metric: generate_content_free_tier_requests, limit: 10',
    `Please retry in ${wait}.`,
    `Suggested retry after ${wait}.. Retrying after 20001ms...`,
  ]
    .map(text => `warn(${JSON.stringify(text)})`)
    .join(';')

it('reads a notice of gemini to its end, which says that the limit passes within seconds', async () => {
  const result = `out({type:'message',role:'assistant',content:'hi'}); out({type:'result',status:'success',stats:{}})`
  const init = `out({type:'init',session_id:'s-1',model:'m'})`
  expect(await running('gemini', `${init}; ${geminiLimit(1, '20s')}; ${result}`)).toMatchObject({ ok: true })
  expect(
    await running('gemini', `${init}; ${[1, 2, 3].map(n => geminiLimit(n, '20s')).join(';')}; hang()`),
  ).toMatchObject({ ok: false, failure: { class: 'throttle', retryAfterMs: 20_000, effect: 'none' } })
  expect(await running('gemini', `${init}; ${geminiLimit(1, '7200s')}; hang()`)).toMatchObject({
    ok: false,
    failure: { class: 'throttle', retryAfterMs: 7_200_000 },
  })
})

it('says so if the cause of the retries is not recognised', async () => {
  const notice = `out({type:'error',message:'Reconnecting... 2/5 (the frobnicator is upside down)'})`
  const outcome = await running('codex', `${notice}; ${notice}; ${notice}; hang()`)
  expect(outcome).toMatchObject({
    ok: false,
    failure: {
      class: 'unknown',
      effect: 'none',
      message: expect.stringMatching(/kept retrying.*not recognised.*frobnicator/),
    },
  })
})

it('names what a CLI was waiting for when its time is up', async () => {
  const time = new FakeTime()
  const binary = stubs.make(
    'claude-waits',
    `${apiRetry({ attempt: 1, error_status: 529, error: 'overloaded' })}; hang()`,
  )
  const outcome = await runAgent(
    { id: 'my-claude', cli: 'claude', binary },
    { prompt: 'fix it', options: { timeoutMs: 10_000 } },
    { time, onSession: () => void time.advance(10_000) },
  )
  expect(outcome).toMatchObject({ ok: false, failure: { class: 'transient', kind: 'overloaded' } })
})
