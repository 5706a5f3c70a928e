import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { TestServer } from '../../../../test/mcp-server.ts'
import { defineCapability } from '../../../capability/define.ts'
import { type ScriptedOptions, scriptedCapability } from '../../../testing/scripted.ts'

let server: TestServer
afterEach(() => server.close())

/** A server with the capability `work`, as it is scripted. */
async function start(
  work: Omit<ScriptedOptions, 'name'> = {},
  options: Parameters<typeof TestServer.start>[0] = {},
): Promise<void> {
  const { capability } = scriptedCapability({ name: 'work', description: 'Works a little', ...work })
  server = await TestServer.start({ capabilities: [capability], ...options })
}

const LIMITED = { kind: 'rate_limit', effect: 'none', retryAfterMs: 120_000 } as const
const UNSURE = { kind: 'eof', effect: 'maybe' } as const

describe('run', () => {
  it('returns the result of a success, without a notice', async () => {
    await start({ rest: { answer: 42 } })
    expect((await server.call('run', { capability: 'work' })).json).toEqual({
      ok: true,
      outcome: 'done',
      operation_id: 'op_1',
      result: { answer: 42 },
      next_step: 'Done: use the result.',
    })
    expect((await server.call('inbox')).json).toMatchObject({ notices: [], unread: 0 })
  })

  it('returns the result although the notices of its session cannot be read', async () => {
    await start({ rest: 'done' })
    vi.spyOn(server.queue.ledger, 'notices').mockRejectedValue(new Error('the database is away'))
    expect((await server.call('run', { capability: 'work' })).json).toMatchObject({
      outcome: 'done',
      result: 'done',
    })
  })

  it("queues what cannot work now, and puts the result into the session's inbox", async () => {
    await start({ script: [{ fails: LIMITED }], rest: 'there it is' })
    await server.queue.runner().start()
    const { json, isError } = await server.call('run', { capability: 'work' })
    expect(isError).toBe(false)
    expect(json).toMatchObject({
      ok: false,
      outcome: 'queued',
      queued_for_retry: true,
      operation_id: 'op_1',
      retry_at: new Date(server.time.now() + 120_000).toISOString(),
      failure: { class: 'throttle', kind: 'rate_limit' },
    })
    expect(json.next_step).toContain('Continue with other work')
    expect(json.retry_hint).toMatch(
      /^Not done yet: it is queued and runs again .* Move on to other work.* in your inbox \(tool inbox\)/,
    )
    expect(json.retry_hint).not.toContain('mulligan ops wait')
    await server.time.until(server.queue.wait('op_1'))
    const { notices } = (await server.call('inbox')).json
    expect(notices).toMatchObject([
      { event: 'succeeded', operation: 'op_1', session: 'agent-1', preview: 'there it is' },
    ])
    expect((await server.call('operations', { id: 'op_1' })).json.operation).toMatchObject({
      state: 'succeeded',
      result: 'there it is',
      source: 'mcp',
    })
  })

  it('answers while a long try is running, and reports its end in the inbox', async () => {
    let finish = (_value: string) => {}
    const slow = defineCapability({
      name: 'slow',
      params: z.object({}),
      retry: 'none',
      run: () => new Promise<string>(resolve => (finish = resolve)),
    })
    server = await TestServer.start({ capabilities: [slow] })
    const { json } = await server.call('run', { capability: 'slow', wait_ms: 1_000 })
    expect(json).toMatchObject({ ok: false, outcome: 'running', operation_id: 'op_1' })
    expect(json.next_step).toContain('still running')
    finish('late')
    await server.queue.wait('op_1')
    expect((await server.call('inbox')).json.notices).toMatchObject([{ operation: 'op_1', preview: 'late' }])
  })

  it('says what a person must do about a parked operation', async () => {
    await start({ script: [{ fails: { kind: 'auth', effect: 'none' } }] })
    const { json } = await server.call('run', { capability: 'work' })
    expect(json).toMatchObject({ outcome: 'parked', parked_for: 'login' })
    expect(json.next_step).toBe(
      'Tell the user: "Log in again, then: mulligan ops retry op_1". It then continues automatically. Continue with other work.',
    )
  })

  it('says that an operation that may have happened must not be run again', async () => {
    await start({ retry: 'none', script: [{ fails: UNSURE }] })
    const { json, isError } = await server.call('run', { capability: 'work' })
    expect(isError).toBe(true)
    expect(json).toMatchObject({ ok: false, outcome: 'refused', dead_as: 'unverifiable' })
    expect(json.next_step).toContain('Do not run it again')
    // Told by the answer, it is not told again.
    expect(json).not.toHaveProperty('inbox_unread')
    expect((await server.call('inbox', { unread: true })).json.unread).toBe(0)
  })

  it('says so if no process can run what is queued', async () => {
    await start({ script: [{ fails: LIMITED }] })
    const { json } = await server.call('run', { capability: 'work' })
    expect(json).toMatchObject({ outcome: 'queued', has_runner: false })
    expect(json.next_step).toMatch(/^Ask the user to start "mulligan serve"/)
  })

  it('promises no inbox to a connection without a session', async () => {
    await start({ script: [{ fails: LIMITED }] }, { session: null })
    await server.queue.runner().start()
    const { json } = await server.call('run', { capability: 'work' })
    expect(json).toMatchObject({ outcome: 'queued', session: null })
    expect(`${json.retry_hint} ${json.next_step}`).not.toContain('your inbox')
    expect(json.next_step).toContain('operations and id op_1')
  })

  it.each([
    ['an unknown capability', { capability: 'wrok' }, 'unknown capability "wrok"; did you mean "work"?'],
    ['too much', { capability: 'work', params: { x: 'x'.repeat(2_000_000) } }, 'the limit is 1048576'],
  ])('refuses %s and stores nothing', async (_what, given, reason) => {
    await start()
    const { json, isError } = await server.call('run', given)
    expect(isError).toBe(true)
    expect(json).toMatchObject({ ok: false, outcome: 'refused', reason: expect.stringContaining(reason) })
    expect(json.next_step).toMatch(/^Nothing was run or queued\./)
    expect((await server.queue.ledger.counts()).total).toBe(0)
  })

  it('runs the same key once', async () => {
    await start({ rest: 'once' })
    const given = { capability: 'work', key: 'k', params: { n: 1 } }
    expect((await server.call('run', given)).json).toMatchObject({ operation_id: 'op_1', result: 'once' })
    expect((await server.call('run', given)).json).toMatchObject({ operation_id: 'op_1', result: 'once' })
    expect((await server.call('run', { ...given, params: { n: 2 } })).json).toMatchObject({
      code: 'key_conflict',
    })
  })

  it('cuts a large result, and returns every part of it on request', async () => {
    const items = Array.from({ length: 3_000 }, (_, n) => ({ n, text: 'ä'.repeat(20) }))
    await start({ rest: { items, title: 'all of them' } })
    // It is written to a file, which takes real time.
    const { json, text } = await server.callAtOnce('run', { capability: 'work' })
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536)
    expect(json).toMatchObject({ outcome: 'done', result_cut: true, result: { title: 'all of them' } })
    expect(json.result_keys.items).toBeGreaterThan(100_000)
    const found: unknown[] = []
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const part = await server.call('operations', { id: 'op_1', key: 'result.items', offset })
      expect(Buffer.byteLength(part.text)).toBeLessThanOrEqual(65_536)
      found.push(...part.json.operation)
      offset = part.json.cut?.next_offset
    }
    expect(found).toEqual(items)
  })

  it('hides secrets in results', async () => {
    await start({ rest: { password: 'hunter2-hunter2', note: 'Bearer abcdefghijklmnopqrstuvwxyz0123' } })
    const { text } = await server.call('run', { capability: 'work' })
    expect(text).not.toMatch(/hunter2|abcdefghij/)
  })
})

describe('operations', () => {
  it('are listed briefly, by filter and page', async () => {
    await start()
    for (let n = 0; n < 5; n++)
      await server.queue.submit('work', { n }, { session: n < 2 ? 'agent-1' : 'other' })
    const first = (await server.call('operations', { state: ['scheduled'], limit: 3 })).json
    expect(first.operations.map(({ id }: { id: string }) => id)).toEqual(['op_5', 'op_4', 'op_3'])
    expect(first.operations[0]).not.toHaveProperty('params')
    const second = (await server.call('operations', { state: ['scheduled'], limit: 3, cursor: first.next }))
      .json
    expect(second.operations).toHaveLength(2)
    expect((await server.call('operations', { mine: true })).json.operations).toHaveLength(2)
  })

  it.each([
    [{ stat: ['dead'] }, 'invalid: arguments.stat: unknown name; did you mean state?'],
    [{ id: 'op_9' }, 'missing: there is no operation "op_9"'],
    [{ id: 'op_1', state: ['dead'] }, 'invalid: give id or state, not both'],
    [{ id: 'op_1', key: 'reslut' }, 'missing: there is no "reslut" at the top; known: id, capability, '],
    [{ kind: 'rate_limits' }, 'invalid: arguments.kind: unknown kind; did you mean rate_limit?'],
    [{ offset: 3 }, 'invalid: wait_ms, key and offset go with id'],
  ])('answer %j with the correct form', async (given, told) => {
    await start()
    await server.queue.submit('work', {})
    const { isError, text } = await server.call('operations', given)
    expect(isError).toBe(true)
    expect(text).toContain(told)
  })
})

describe('asking again', () => {
  /** A call, with the fake milliseconds that it took. */
  const timed = async (tool: string, given?: Record<string, unknown>) => {
    const before = server.time.now()
    const { json, isError } = await server.time.until(server.call(tool, given))
    expect(isError).toBe(false)
    return { json, ms: server.time.now() - before }
  }

  it('operations waits for the end by default, and takes any wait, but says when to ask instead', async () => {
    await start({ script: [{ fails: LIMITED }] })
    await server.call('run', { capability: 'work' })
    const first = await timed('operations', { id: 'op_1' })
    expect(first.ms).toBe(25_000)
    expect(first.json.next_step).toMatch(
      /Ask again in \d+ s \(at .*Z\): operations with {"id":"op_1","wait_ms":24000}/,
    )
    const second = await timed('operations', { id: 'op_1', wait_ms: 3_600_000 })
    expect(second.ms).toBe(50_000)
    expect(second.json.next_step).toContain('"wait_ms":23000')
    expect((await timed('operations', { id: 'op_1', wait_ms: -1 })).ms).toBe(0)
    expect((await timed('operations', { id: 'op_1', key: 'params' })).ms).toBe(0)
  })

  it('inbox waits while nothing is new and something goes on, and answers when it ends', async () => {
    await start({ script: [{ fails: { ...LIMITED, retryAfterMs: 40_000 } }], rest: 'there it is' })
    await server.queue.runner().start()
    expect((await timed('inbox')).ms).toBe(0)
    await server.call('run', { capability: 'work' })
    const first = await timed('inbox')
    expect(first.ms).toBe(25_000)
    expect(first.json.next_step).toMatch(
      /^Nothing new: 1 of your operations still wait or run\. .*Ask again: inbox with {"wait_ms":24000}/,
    )
    const second = await timed('inbox', { wait_ms: 24_000 })
    expect(second.ms).toBeLessThan(24_000)
    expect(second.json.notices).toMatchObject([{ operation: 'op_1', preview: 'there it is' }])
    expect((await timed('inbox')).ms).toBe(0)
  })
})

describe('operation_action', () => {
  it('changes one operation', async () => {
    await start()
    await server.queue.submit('work', { n: 1, m: 1 })
    expect(
      (await server.call('operation_action', { action: 'edit', id: 'op_1', changed_params: { n: 2 } })).json,
    ).toMatchObject({ done: true, operation: { params: { n: 2, m: 1 } } })
    expect((await server.call('operation_action', { action: 'cancel', id: 'op_1' })).json).toEqual({
      done: true,
      id: 'op_1',
      outcome: 'cancelled',
    })
    const again = await server.call('operation_action', { action: 'cancel', id: 'op_1' })
    expect(again).toMatchObject({ isError: true, text: 'no_change: op_1 is dead, so cancel does nothing' })
  })

  it('says what it did although that cannot be recorded', async () => {
    await start()
    await server.queue.submit('work')
    const { ledger } = server.queue
    const transaction = ledger.transaction.bind(ledger)
    vi.spyOn(ledger, 'transaction')
      .mockImplementationOnce(transaction)
      .mockRejectedValueOnce(new Error('the database is away'))
    const { json } = await server.call('operation_action', { action: 'cancel', id: 'op_1' })
    expect(json).toMatchObject({ done: true, outcome: 'cancelled' })
  })

  it('changes many only with the token of a preview, and only once', async () => {
    await start()
    for (let n = 0; n < 3; n++) await server.queue.submit('work', { n })
    const filter = { capability: ['work'] }
    const preview = (await server.call('operation_action', { action: 'cancel', filter })).json
    expect(preview).toMatchObject({ done: false, total: 3, counts: { cancelled: 3 }, token: 'token-1' })
    expect((await server.queue.ledger.counts()).states.scheduled).toBe(3)
    const other = await server.call('operation_action', { action: 'discard', token: preview.token })
    expect(other.text).toContain('the preview is of cancel, not of discard')
    const next = (await server.call('operation_action', { action: 'cancel', filter })).json
    expect(
      (await server.call('operation_action', { action: 'cancel', token: next.token })).json,
    ).toMatchObject({
      done: true,
      counts: { cancelled: 3 },
    })
    const twice = await server.call('operation_action', { action: 'cancel', token: next.token })
    expect(twice).toMatchObject({ isError: true, text: expect.stringMatching(/^preview_gone: /) })
  })

  it('leaves operations that may have happened to people, unless the agent counts as a person', async () => {
    const work = { retry: 'none', script: [{ fails: UNSURE }], rest: 'again' } as const
    await start(work)
    await server.call('run', { capability: 'work' })
    const refused = await server.call('operation_action', { action: 'retry', id: 'op_1' })
    expect(refused.isError).toBe(true)
    expect(refused.text).toMatch(/^needs_person: op_1 is not run again: .*mulligan ops retry op_1$/)
    const many = (await server.call('operation_action', { action: 'retry', filter: { state: ['dead'] } }))
      .json
    expect(many).toMatchObject({
      done: false,
      next_step: 'Nothing to do.',
      operations: [{ outcome: 'none' }],
    })
    await server.close()
    await start(work, { asPerson: true })
    await server.call('run', { capability: 'work' })
    expect((await server.call('operation_action', { action: 'retry', id: 'op_1' })).json).toMatchObject({
      outcome: 'revived',
    })
  })
})

describe('inbox', () => {
  it('keeps what needs action until it is marked as read, and belongs to its session', async () => {
    await start({ script: [{ fails: LIMITED }, { fails: { kind: 'not_found', effect: 'none' } }] })
    await server.call('run', { capability: 'work' })
    await server.queue.runner().start()
    await server.time.until(server.queue.wait('op_1'))
    await server.queue.submit('work', {}, { session: 'other' })
    const { json } = await server.call('inbox', { unread: true })
    expect(json).toMatchObject({
      session: 'agent-1',
      unread: 1,
      notices: [{ event: 'dead', operation: 'op_1', disposition: 'actionable' }],
    })
    expect((await server.call('status')).json).toMatchObject({ session: 'agent-1', inbox_unread: 1 })
    const [{ id }] = json.notices
    expect((await server.call('inbox', { mark_read: [id], unread: true })).json).toMatchObject({
      marked_read: 1,
      unread: 0,
      notices: [],
    })
    await server.queue.ledger.transaction(writes =>
      writes.addNotice({
        key: 'k',
        type: 'dead',
        priority: 'normal',
        disposition: 'actionable',
        session: 'other',
        title: 't',
        body: 'b',
        expiresAt: server.time.now() + 60_000,
      }),
    )
    const other = (await server.queue.ledger.notices({ session: 'other' })).items[0]?.id
    expect((await server.call('inbox', { mark_read: [other] })).text).toBe(
      `needs_person: ${other} is not of your session: whoever it is for marks it as read`,
    )
    expect((await server.call('inbox', { mark_read: ['notice_99'] })).text).toBe(
      'missing: there is no notice_99; inbox lists them',
    )
  })
})

describe('unknowns', () => {
  const STRANGE = { script: [{ throws: new Error('the frobnicator is out of phase') }] }

  it('get only a proposed label, which people are told once, with the command that accepts it', async () => {
    await start(STRANGE)
    await server.call('run', { capability: 'work' })
    const [{ fingerprint }] = (await server.call('unknowns')).json.unknowns
    expect((await server.call('unknowns', { action: 'show', fingerprint })).json).toMatchObject({ parked: 1 })
    const given = { action: 'label', fingerprint, class: 'transient', why: 'it went away by itself' }
    for (let n = 0; n < 2; n++)
      expect((await server.call('unknowns', given)).json).toMatchObject({ given: false, proposed: true })
    expect(await server.queue.ledger.labels()).toEqual([])
    const { items } = await server.queue.ledger.notices({ type: 'label_proposed' })
    expect(items).toMatchObject([
      {
        title: `tester 1 (agent-1) proposes: ${fingerprint} is transient`,
        body: expect.stringContaining(`mulligan unknowns label ${fingerprint} transient`),
        disposition: 'actionable',
      },
    ])
  })

  it('get no proposal that would break correct classifications', async () => {
    await start(STRANGE)
    await server.call('run', { capability: 'work' })
    const [{ fingerprint }] = (await server.call('unknowns')).json.unknowns
    const given = { action: 'label', fingerprint, class: 'permanent', pattern: 'overloaded|rate limit' }
    expect(await server.call('unknowns', given)).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^flips: this label would make \d+ right classifications wrong/),
    })
    expect((await server.queue.ledger.notices({ type: 'label_proposed' })).items).toEqual([])
  })

  it('are labelled if that is allowed', async () => {
    await start(STRANGE, { allowLabel: true })
    await server.call('run', { capability: 'work' })
    const [{ fingerprint }] = (await server.call('unknowns')).json.unknowns
    expect(
      (await server.call('unknowns', { action: 'label', fingerprint, class: 'throttle', kind: 'quota' }))
        .json,
    ).toMatchObject({ given: true })
    expect(await server.queue.ledger.labels()).toMatchObject([
      { class: 'throttle', kind: 'quota', who: 'tester 1 (agent-1)' },
    ])
  })

  it.each([
    [{ action: 'label' }, 'label needs a fingerprint'],
    [{ action: 'show', fingerprint: 'fp1:00' }, 'no unknown has the fingerprint fp1:00'],
    [{ class: 'transient' }, 'list takes no class'],
    [{ action: 'lable' }, 'arguments.action'],
  ])('answer %j with the correct form', async (given, told) => {
    await start()
    expect(await server.call('unknowns', given)).toMatchObject({
      isError: true,
      text: expect.stringContaining(told),
    })
  })
})

describe('capabilities', () => {
  it('are found by words, with their parameters', async () => {
    const mail = defineCapability({
      name: 'send_mail',
      description: 'Sends a message to somebody',
      params: z.object({ to: z.string() }),
      retry: 'none',
      run: () => 'sent',
    })
    await start({}, { capabilities: [mail, scriptedCapability({ name: 'work' }).capability] })
    expect((await server.call('capabilities', { query: 'message mail' })).json).toMatchObject({
      total: 1,
      capabilities: [
        { name: 'send_mail', retry: 'none', params_schema: { properties: { to: { type: 'string' } } } },
      ],
    })
    expect((await server.call('capabilities')).json.total).toBe(2)
    expect((await server.call('capabilities', { name: 'send_male' })).text).toBe(
      'missing: unknown capability "send_male"; did you mean "send_mail"?',
    )
  })
})

describe('an answer that no tool has cut', () => {
  it('has at most 64 KiB, names what is missing, and still matches its schema', async () => {
    const long = 'Words. '.repeat(6_000)
    const capabilities = ['a', 'b', 'c'].map(
      name => scriptedCapability({ name, description: long }).capability,
    )
    await start({}, { capabilities })
    const { text, json, isError } = await server.call('capabilities')
    expect(isError).toBe(false)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536)
    expect(json.cut).toMatchObject({ bytes: expect.any(Number), keys: { capabilities: expect.any(Number) } })
    expect(json.total).toBe(3)
  })
})

describe('the list of tools', () => {
  it('is short, and every tool has schemas and annotations', async () => {
    await start()
    const { tools } = await server.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'run',
      'status',
      'operations',
      'inbox',
      'unknowns',
      'capabilities',
      'workflow',
      'operation_action',
    ])
    for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
      expect(description?.length, name).toBeGreaterThan(80)
      expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false })
      expect(outputSchema, name).toMatchObject({ type: 'object' })
      expect(annotations?.readOnlyHint, name).toBeTypeOf('boolean')
    }
    expect(JSON.stringify(tools).length).toBeLessThan(24_000)
  })

  it('contains only reading tools in read-only mode', async () => {
    await start({}, { readOnly: true })
    const { tools } = await server.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'status',
      'operations',
      'inbox',
      'unknowns',
      'capabilities',
      'workflow',
    ])
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
    await expect(server.call('run', { capability: 'work' })).rejects.toThrow('Tool run not found')
    expect((await server.call('inbox', { mark_read: ['notice_1'] })).text).toContain('mark_read')
    expect((await server.call('unknowns', { action: 'label' })).isError).toBe(true)
  })

  it('hides the details of an unexpected error from the client, and logs them', async () => {
    await start()
    const { ledger } = server.queue
    ledger.runners = () => Promise.reject(new Error('the moon is in the wrong house'))
    expect(await server.call('capabilities')).toMatchObject({
      isError: true,
      text: 'internal: internal error; the log of mulligan has it',
    })
    expect(server.errors).toMatchObject([{ message: 'the moon is in the wrong house' }])
  })
})
