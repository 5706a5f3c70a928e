import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lastStart, running } from '../../test/agent/runs.ts'
import { realTime } from '../time/time.ts'
import { answerEnd, entriesIn, lastAnswerEnd } from './side-record.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'mulligan-record-'))
const env = (home: string, more: Record<string, string> = {}) => ({
  PATH: process.env.PATH,
  HOME: home,
  ...more,
})
const pretty = (entry: object) => JSON.stringify(entry, null, 2)

const GEMINI_ANSWERS = `out({type:'init',session_id:'s-1',model:'m'});
  out({type:'message',role:'assistant',content:'half of',delta:true});
  out({type:'result',status:'success',stats:{}});`
const geminiTells = (...entries: object[]) =>
  `fs.appendFileSync(process.env.GEMINI_TELEMETRY_OUTFILE, ${JSON.stringify(`${entries.map(pretty).join('\n')}\n`)});`
const answered = (attributes: object) => ({
  body: 'API response',
  attributes: { 'event.name': 'gemini_cli.api_response', role: 'main', ...attributes },
})

describe('gemini shows a cut answer as complete', () => {
  it.each([
    ['length', 'rail', 'max_tokens'],
    ['content_filter', 'permanent', 'content_policy'],
  ])('but its telemetry says it was cut: %s', async (reason, cls, kind) => {
    const told = geminiTells(answered({ finish_reasons: ['stop', reason] }))
    const outcome = await running(`${GEMINI_ANSWERS}${told}`, { cli: 'gemini', run: { env: env(folder()) } })
    expect(outcome).toMatchObject({ ok: false, failure: { class: cls, kind, effect: 'none', did: 'said' } })
  })

  it('and a blocked prompt as a cut stream', async () => {
    const told = geminiTells(answered({ finish_reasons: [], input_token_count: 12, output_token_count: 0 }))
    const body = `${told} out({type:'init',session_id:'s-1'});
      out({type:'result',status:'error',error:{type:'Error',message:'Model stream ended without a finish reason.'},stats:{}})`
    const outcome = await running(body, { cli: 'gemini', run: { env: env(folder()) } })
    expect(outcome).toMatchObject({ ok: false, failure: { class: 'permanent', kind: 'content_policy' } })
  })

  it('but only the last answer of the main conversation counts', async () => {
    const told = geminiTells(
      answered({ finish_reasons: ['length'] }),
      { attributes: { 'event.name': 'gemini_cli.api_request', role: 'main' } },
      answered({ finish_reasons: ['stop'] }),
      answered({ finish_reasons: ['length'], role: 'utility_summarizer' }),
    )
    const outcome = await running(`${GEMINI_ANSWERS}${told}`, { cli: 'gemini', run: { env: env(folder()) } })
    expect(outcome).toMatchObject({ ok: true, text: 'half of' })
  })
})

describe('the requested telemetry', () => {
  it('goes into a private file without prompts, which is gone after the run', async () => {
    const body = `${GEMINI_ANSWERS} say(''); fs.statSync(process.env.GEMINI_TELEMETRY_OUTFILE)`
    expect(await running(body, { cli: 'gemini', run: { env: env(folder()) } })).toMatchObject({ ok: true })
    const { env: given = {} } = lastStart('gemini') ?? {}
    expect(given).toMatchObject({
      GEMINI_TELEMETRY_TARGET: 'local',
      GEMINI_TELEMETRY_LOG_PROMPTS: 'false',
    })
    expect(existsSync(dirname(given.GEMINI_TELEMETRY_OUTFILE ?? '/'))).toBe(false)
  })

  it('is readable only by its owner', async () => {
    const home = folder()
    const seen = join(home, 'mode')
    const body = `fs.writeFileSync(${JSON.stringify(seen)}, String(fs.statSync(process.env.QWEN_TELEMETRY_OUTFILE).mode & 0o777));`
    await running(body, { cli: 'qwen', run: { env: env(home) } })
    expect(Number(readFileSync(seen, 'utf8'))).toBe(0o600)
  })

  it.each([
    ['a variable', { variable: { GEMINI_TELEMETRY_ENABLED: 'false' } }],
    ['an exporter', { variable: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' } }],
    ['the settings of the user', { file: '{"telemetry":{"enabled":true,"target":"gcp"}}' }],
  ])('is not touched if it is set up by %s', async (_by, { variable, file }: Setup) => {
    const home = folder()
    mkdirSync(join(home, '.gemini'))
    if (file) writeFileSync(join(home, '.gemini', 'settings.json'), file)
    await running(GEMINI_ANSWERS, { cli: 'gemini', run: { env: env(home, variable) } })
    expect(lastStart('gemini')?.env).not.toHaveProperty('GEMINI_TELEMETRY_OUTFILE')
  })
})

interface Setup {
  variable?: Record<string, string>
  file?: string
}

it('qwen says the answer was empty, and its telemetry that a filter removed it', async () => {
  const request = (attributes: object) =>
    pretty({
      name: 'qwen-code.llm_request',
      attributes: { 'llm_request.context': 'interaction', ...attributes },
    })
  const told = [request({ finish_reason: 'content_filter' }), request({ subagent_name: 'memory' })].join('\n')
  const body = `fs.appendFileSync(process.env.QWEN_TELEMETRY_OUTFILE, ${JSON.stringify(told)});
    out({type:'system',subtype:'init',session_id:'s-1',qwen_code_version:'0.24.4'});
    out({type:'result',subtype:'error_during_execution',is_error:true,session_id:'s-1',num_turns:1,
      error:{message:'[API Error: Model stream ended with empty response text.]'}}); end(1)`
  const outcome = await running(body, { cli: 'qwen', run: { env: env(folder()) } })
  expect(outcome).toMatchObject({ ok: false, failure: { class: 'permanent', kind: 'content_policy' } })
})

describe('the session file says how the last answer ended', () => {
  const kimiRun = (event: object, home: string, time = 'Date.now() + 1') =>
    running(
      `const dir = process.env.KIMI_CODE_HOME + '/s'; fs.mkdirSync(dir + '/agents/main', { recursive: true });
      fs.writeFileSync(process.env.KIMI_CODE_HOME + '/session_index.jsonl', JSON.stringify({ sessionId: 'session_1', sessionDir: dir, workDir: process.cwd() }));
      fs.writeFileSync(dir + '/agents/main/wire.jsonl', JSON.stringify({ agentId: 'main', event: ${JSON.stringify(event)}, time: ${time} }) + '\\n');
      out({role:'assistant',content:'half of'}); out({role:'meta',type:'session.resume_hint',session_id:'session_1'})`,
      { cli: 'kimi', run: { env: env(home, { KIMI_CODE_HOME: home }) } },
    )

  it.each([
    ['cut at its limit', { type: 'step.end', finishReason: 'max_tokens' }, 'max_tokens'],
    ['broken off', { type: 'step.end', finishReason: 'end_turn' }, 'stream_cut'],
  ])('kimi: %s', async (_how, event, kind) => {
    expect(await kimiRun(event, folder())).toMatchObject({ ok: false, failure: { kind } })
  })

  it('kimi: whole', async () => {
    const event = { type: 'step.end', finishReason: 'end_turn', providerFinishReason: 'completed' }
    expect(await kimiRun(event, folder())).toMatchObject({ ok: true, text: 'half of' })
  })

  it('kimi: what an earlier run of the session wrote does not count', async () => {
    const event = { type: 'step.end', finishReason: 'max_tokens' }
    expect(await kimiRun(event, folder(), '1')).toMatchObject({ ok: true })
  })

  it('copilot: cut by a filter, no matter what its helpers met', async () => {
    const home = folder()
    const usage = (finishReason: string, interactionType: string) =>
      `JSON.stringify({type:'session.usage_record',data:{usage:${JSON.stringify({ finishReason, interactionType })}},timestamp:new Date(Date.now()+1000).toISOString()})`
    const outcome = await running(
      `const dir = process.env.COPILOT_HOME + '/session-state/s-1'; fs.mkdirSync(dir, { recursive: true });
      fs.writeFileSync(dir + '/events.jsonl', [${usage('content_filter', 'conversation-agent')}, ${usage('stop', 'conversation-subagent')}].join('\\n'));
      out({type:'assistant.turn_start',data:{turnId:'0'}}); out({type:'assistant.message',data:{content:'half of'}});
      out({type:'result',sessionId:'s-1',exitCode:0,usage:{}})`,
      { cli: 'copilot', run: { env: env(home, { COPILOT_HOME: home }) } },
    )
    expect(outcome).toMatchObject({ ok: false, failure: { class: 'permanent', kind: 'content_policy' } })
  })
})

it('entries of one line and of many are read together, and truncated ones at either end are skipped', () => {
  const text = `cut"}\n}\n{"a":1}\n{\n  "b": 2\n}\nplain\n{\n  "c":`
  expect([...entriesIn(text)]).toEqual(['{"a":1}', '{\n  "b": 2\n}'])
})

it('a missing record, or one without JSON, says nothing', () => {
  const record = { mark: /x/, read: () => ({ end: 'limit' as const }) }
  expect(lastAnswerEnd('/nowhere', record, 0)).toBeUndefined()
})

it.each([
  ['MAX_TOKENS', 'limit'],
  ['length', 'limit'],
  ['max_output_tokens', 'limit'],
  ['SAFETY', 'filtered'],
  ['content_filter', 'filtered'],
  ['refusal', 'filtered'],
  ['stop', 'whole'],
  ['tool_calls', 'whole'],
  [undefined, 'whole'],
])('%s is %s', (reason, end) => {
  expect(answerEnd(reason)).toBe(end)
})

describe('a CLI that says only that its fetch failed', () => {
  /** A clock a thousand times as fast, so a moment of the program is minutes. */
  const fast = { ...realTime, monotonic: () => realTime.monotonic() * 1_000 }
  const failing = (pause: string) => `out({type:'init',session_id:'s-1'}); ${pause}
    out({type:'result',status:'error',error:{type:'Error',message:'[API Error: exception TypeError: fetch failed sending request]'},stats:{}}); end(1)`

  it("timed out if it was silent for as long as a client's timeout", async () => {
    const pause = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);'
    const outcome = await running(failing(pause), { cli: 'gemini', run: { env: env(folder()), time: fast } })
    expect(outcome).toMatchObject({ ok: false, failure: { class: 'timeout', kind: 'timeout' } })
  })

  it('has no connection if it fails at once', async () => {
    const outcome = await running(failing(''), { cli: 'gemini', run: { env: env(folder()) } })
    expect(outcome).toMatchObject({ ok: false, failure: { class: 'transient', kind: 'network' } })
  })
})
