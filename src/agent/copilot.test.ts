import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lastStart, running } from '../../test/agent/runs.ts'
import { copilot } from './copilot.ts'

const turn = `out({type:'assistant.turn_start',data:{turnId:'0'},id:'e',timestamp:'t'})`
const refused = (status: number, error: object) =>
  `out({type:'model.call_failure',data:{statusCode:${status},errorMessage:${JSON.stringify(
    JSON.stringify(error),
  )}},id:'e',timestamp:'t'})`

describe('copilot, which retries on its own', () => {
  it('is ended at the first billing failure, because it would repeat it for a minute', async () => {
    const error = { message: 'Your account is not active, please check your billing details.' }
    expect(await running(`${turn}; ${refused(429, error)}; hang()`, { cli: 'copilot' })).toMatchObject({
      ok: false,
      failure: { class: 'throttle', kind: 'billing', effect: 'none' },
    })
  })

  it('is left alone with a lost connection, and its answer counts', async () => {
    const lost = `out({type:'model.call_failure',data:{errorMessage:'"connection reset"'},id:'e',timestamp:'t'})`
    const answer = `out({type:'assistant.message',data:{content:'hi'},id:'e',timestamp:'t'});
      out({type:'result',sessionId:'s-1',exitCode:0,usage:{}})`
    expect(await running(`${turn}; ${lost}; ${answer}`, { cli: 'copilot' })).toMatchObject({
      ok: true,
      text: 'hi',
      session: { id: 's-1' },
    })
  })
})

it('a filter that removed the whole answer is a failure, although copilot exits 0', async () => {
  const said = 'The model returned no content because the response was blocked by content filtering.'
  const body = `${turn}; out({type:'assistant.message',data:{content:${JSON.stringify(said)}},id:'e',timestamp:'t'});
    out({type:'result',sessionId:'s-1',exitCode:0,usage:{}})`
  expect(await running(body, { cli: 'copilot' })).toMatchObject({
    ok: false,
    failure: { class: 'permanent', kind: 'content_policy' },
  })
})

it('an answer that talks about filters is an answer', async () => {
  const said = 'I added a test: a response that was blocked by content filtering is not retried any more.'
  const body = `${turn}; out({type:'assistant.message',data:{content:${JSON.stringify(said)}},id:'e',timestamp:'t'});
    out({type:'result',sessionId:'s-1',exitCode:0,usage:{}})`
  expect(await running(body, { cli: 'copilot' })).toMatchObject({ ok: true, text: said })
})

it('each tool follows its own equals sign, so none swallows what follows', async () => {
  await running(`out({type:'result',sessionId:'s-1',exitCode:0,usage:{}})`, {
    cli: 'copilot',
    request: { options: { allowedTools: ['shell(git:*)', 'write'], disallowedTools: ['url'] } },
  })
  expect(lastStart('copilot')?.args).toEqual(
    expect.arrayContaining(['--allow-tool=shell(git:*)', '--allow-tool=write', '--deny-tool=url']),
  )
})

describe('a session of copilot that was killed', () => {
  const home = mkdtempSync(join(tmpdir(), 'mulligan-copilot-'))
  function begin(id: string, cwd: string, at: number) {
    const folder = join(home, 'session-state', id)
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, 'workspace.yaml'),
      `id: ${id}\ncwd: ${cwd}\ncreated_at: ${new Date(at).toISOString()}\n`,
    )
  }
  const find = () => copilot.findSession?.({ cwd: '/work', env: { COPILOT_HOME: home }, sinceMs: 1_000 })

  it('is found by its folder and start time, unless another began there too', () => {
    expect(find()).toBeUndefined()
    begin('before', '/work', 999)
    begin('elsewhere', '/other', 2_000)
    expect(find()).toBeUndefined()
    begin('ours', '/work', 1_001)
    expect(find()).toBe('ours')
    begin('theirs', '/work', 1_002)
    expect(find()).toBeUndefined()
  })
})
