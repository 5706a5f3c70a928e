import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { TestServer } from '../../../../test/mcp-server.ts'
import { defineCapability } from '../../../capability/define.ts'
import { scriptedCapability } from '../../../testing/scripted.ts'
import { defineWorkflow } from '../../../workflow/define.ts'
import { Workflows } from '../../../workflow/workflows.ts'

let server: TestServer
let startOpen: () => Promise<string>
const call = async (given: Record<string, unknown>) => server.call('workflow', given)

async function start(options: Parameters<typeof TestServer.start>[0] = {}): Promise<void> {
  const { capability } = scriptedCapability({
    name: 'ship',
    retry: 'none',
    script: [{ fails: { kind: 'eof', effect: 'maybe' } }],
    rest: { shipped: true },
  })
  const { capability: build } = scriptedCapability({ name: 'build', rest: { image: 'x'.repeat(100_000) } })
  const release = defineWorkflow({
    name: 'release',
    params: z.object({ version: z.string() }),
    steps: ({ run, ask }) => {
      const built = run('build', build)
      const ok = ask('ok', 'Ship it?', { answer: z.object({ ship: z.boolean() }), after: [built] })
      run('ship', capability, { after: [ok] })
    },
  })
  const pay = defineCapability({
    name: 'pay',
    params: z.object({}),
    retry: 'none',
    run: (_, { signal }) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      }),
  })
  const pair = defineWorkflow({
    name: 'pair',
    steps: [
      { id: 'pay', run: pay },
      { id: 'ok', ask: 'Go on?' },
    ],
  })
  const open = defineWorkflow({
    name: 'open',
    steps: [{ id: 'ok', ask: 'Go on?', answer: z.object({ go: z.boolean() }), answeredBy: 'anyone' }],
  })
  const audit = defineWorkflow({
    name: 'audit',
    steps: [
      { id: 'look', run: capability },
      { id: 'ok', ask: 'Delete all?', when: 'results.look.shipped', after: ['look'] },
      { id: 'go', run: build, after: ['ok'] },
    ],
  })
  startOpen = async () => (await open.start(server.queue, {}, { by: 'jane' })).id
  server = await TestServer.start({
    capabilities: [capability, build, pay],
    workflows: [release as never, pair as never, open as never, audit as never],
    ...options,
  })
  await server.queue.runner().start()
}

beforeEach(() => start())
afterEach(() => server.close())

/** A run that has got as far as its question. */
async function asked(): Promise<string> {
  const { json } = await call({ action: 'start', name: 'release', params: { version: '1' } })
  for (;;) {
    const { json: now } = await call({ action: 'show', run: json.run.id, wait_ms: 1_000 })
    if (now.next_step.startsWith('Step ok asks')) return json.run.id
  }
}

describe('workflow', () => {
  it('starts a run for the session, and says what it waits for', async () => {
    const id = await asked()
    const { json } = await call({ action: 'show', run: id })
    expect(json.run).toMatchObject({ workflow: 'release', session: 'agent-1', by: 'agent-1' })
    expect(json.run.steps[1]).toMatchObject({ id: 'ok', question: 'Ship it?' })
    expect((await call({ action: 'list' })).json).toMatchObject({
      workflows: [{ name: 'release' }, { name: 'pair' }, { name: 'open' }, { name: 'audit' }],
      runs: [{ id, steps: { build: 'succeeded' } }],
    })
  })

  it('continues with a valid answer, and leaves what may have happened to people', async () => {
    const id = await asked()
    const answer = { action: 'advance', run: id, step: 'ok', result: { ship: true } }
    expect((await call(answer)).text).toBe('needs_person: step ok asks a person, not an agent; tell the user')
    await new Workflows(server.queue).advance(id, 'ok', { ship: true }, { by: 'jane' })
    const { json } = await call({ action: 'show', run: id, wait_ms: 10_000 })
    expect(json.run).toMatchObject({ state: 'failed' })
    expect(json.next_step).toContain('It has ended without success')
    const refused = await call({ action: 'retry', run: id })
    expect(refused.text).toMatch(/^needs_person: step ship \(op_\d+\) may happen twice: .*tell the user/)
    const supplied = await call({ action: 'advance', run: id, step: 'ship', result: { shipped: true } })
    expect(supplied.text).toMatch(/^needs_person: step ship \(op_\d+\) may have taken effect/)
  })

  it('skips no question for people, and nothing that decides whether they are asked', async () => {
    const id = await asked()
    const skip = { action: 'skip', run: id, step: 'ok' }
    expect((await call(skip)).text).toBe('needs_person: step ok asks a person, not an agent; tell the user')
    const { json } = await call({ action: 'start', name: 'audit' })
    const refused = await call({ action: 'skip', run: json.run.id, step: 'look' })
    expect(refused.text).toBe(
      'needs_person: whether a person is asked in step ok follows from step look; tell the user',
    )
  })

  it('neither skips nor supplies what may have happened, even after its operation was discarded', async () => {
    const id = await asked()
    await new Workflows(server.queue).advance(id, 'ok', { ship: true }, { by: 'jane' })
    const { json } = await call({ action: 'show', run: id, wait_ms: 10_000 })
    const skipped = await call({ action: 'skip', run: id, step: 'ship' })
    expect(skipped.text).toMatch(/^needs_person: step ship \(op_\d+\) may have taken effect/)
    const operation = json.run.steps[2].operation
    expect((await server.call('operation_action', { action: 'discard', id: operation })).isError).toBe(false)
    for (const change of [{ action: 'skip' }, { action: 'advance', result: { shipped: true } }])
      expect((await call({ ...change, run: id, step: 'ship' })).text).toMatch(
        /^needs_person: step ship \(op_\d+\) may have taken effect/,
      )
  })

  it('tells an agent to ask the user what it may not answer', async () => {
    const id = await asked()
    expect((await call({ action: 'show', run: id })).json.next_step).toMatch(
      /^Step ok asks a person: tell the user/,
    )
    const own = await call({ action: 'start', name: 'open' })
    expect(own.json.next_step).toMatch(/^Step ok asks somebody else than you/)
    expect((await call({ action: 'show', run: await startOpen() })).json.next_step).toMatch(
      /^Step ok asks: answer it with action advance/,
    )
  })

  it('takes an answer for agents from another agent than the one that started the run', async () => {
    const own = await call({ action: 'start', name: 'open' })
    const answer = (run: string, go: unknown) => call({ action: 'advance', run, step: 'ok', result: { go } })
    expect((await answer(own.json.run.id, true)).text).toBe(
      `needs_person: you started ${own.json.run.id}, so somebody else answers step ok; tell the user`,
    )
    const id = await startOpen()
    expect((await answer(id, 'maybe')).text).toMatch(/^invalid_result: the result of step "ok" is invalid/)
    expect((await answer(id, true)).json.run).toMatchObject({ state: 'succeeded' })
  })

  it('does not continue a run whose end cancelled what may have happened', async () => {
    const { json } = await call({ action: 'start', name: 'pair' })
    const run = json.run.id
    const pays = async () => (await call({ action: 'show', run })).json.run.steps[0].state
    await expect.poll(pays).toBe('running')
    await call({ action: 'cancel', run })
    await expect.poll(pays).toBe('failed')
    const refused = await call({ action: 'retry', run, step: 'ok' })
    expect(refused.text).toMatch(/^needs_person: step pay \(op_\d+\) may happen twice: /)
  })

  it('cuts large results of steps', async () => {
    const id = await asked()
    const { json } = await call({ action: 'result', run: id, step: 'build', key: 'image' })
    expect(json.cut).toMatchObject({ next_offset: expect.any(Number) })
    expect(json.result.length).toBe(json.cut.next_offset)
  })

  it.each([
    [{ action: 'start' }, 'start needs the name of a workflow'],
    [{ action: 'start', name: 'relese' }, 'relese'],
    [{ action: 'start', name: 'release', params: {} }, 'version'],
    [{ action: 'show' }, 'show needs a run'],
    [{ action: 'show', run: 'wf_99' }, 'there is no workflow run "wf_99"'],
    [{ action: 'list', run: 'wf_1' }, 'list takes no run; it takes name, state, limit, cursor'],
    [{ action: 'advance', run: 'wf_1', step: 'ok' }, 'advance needs a result'],
  ])('answers %j with the correct form', async (given, told) => {
    expect(await call(given)).toMatchObject({ isError: true, text: expect.stringContaining(told) })
  })

  it('only reads in read-only mode', async () => {
    await server.close()
    await start({ readOnly: true })
    expect((await call({ action: 'list' })).isError).toBe(false)
    expect((await call({ action: 'start', name: 'release' })).isError).toBe(true)
  })
})
