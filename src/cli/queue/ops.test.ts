import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { runCommand } from '../../../test/cli/terminal.ts'
import { defineCapability } from '../../capability/define.ts'
import { REDACTED } from '../../failure/redact.ts'
import { type OpenedQueue, openQueue } from '../../queue/open.ts'

let folder: string
let queue: OpenedQueue | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-ops-'))
  writeFileSync(
    join(folder, 'mulligan.toml'),
    `[queue]
data = "state"
[[capability]]
name = "mail"
argv = ["mail", "{to}"]
params = { to = {}, count = { type = "integer", required = false }, token = { secret = true, required = false } }
retry = "replay"
max_retries = 3
`,
  )
})
afterEach(async () => {
  await queue?.close()
  queue = undefined
})

const mulligan = (...argv: string[]) => runCommand(argv, { cwd: folder, now: Date.now })
const json = async (name: string, ...argv: string[]) =>
  JSON.parse((await mulligan(name, '--json', ...argv)).stdout)

/** Runs all due operations with `send`, as a runner in another process would. */
async function runDue(send: () => unknown): Promise<void> {
  queue = await openQueue({
    data: join(folder, 'state'),
    capabilities: [
      defineCapability({
        name: 'mail',
        params: z.any(),
        retry: 'replay',
        maxRetries: 3,
        run: async () => send(),
      }),
    ],
  })
  const ended = new Promise<void>(resolve => {
    const runner = queue?.runner({ onRun: () => resolve() })
    void runner?.start()
  })
  await ended
  await queue.close()
  queue = undefined
}

const refuse = () => {
  throw Object.assign(new Error('550 no such mailbox'), { status: 400 })
}
const fail = () => {
  throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:25'), { code: 'ECONNREFUSED' })
}

describe('mulligan submit', () => {
  it('prints the id, and warns that no runner is alive', async () => {
    expect(await mulligan('submit', 'mail', '--param', 'to=ann')).toEqual({
      code: 0,
      stdout: 'op_1\n',
      stderr: 'mulligan: no runner is alive, so it waits; start one: mulligan serve\nop_1 due\n',
    })
  })

  it('takes strings unchanged and everything else as JSON, and hides secrets', async () => {
    const submitted = await json(
      'submit',
      'mail',
      ...[
        '--param',
        'to=007',
        '--param',
        'count=2',
        '--param',
        'token=hush',
        '--at',
        '10m',
        '--priority',
        '-3',
      ],
    )
    expect(submitted).toMatchObject({
      state: 'scheduled',
      params: { to: '007', count: 2, token: REDACTED },
      priority: -3,
      created: true,
      has_runner: false,
      remaining_retries: 3,
    })
    expect(Date.parse(submitted.due_at)).toBeGreaterThan(Date.now() + 9 * 60_000)
  })

  it('makes one operation per key', async () => {
    const argv = ['submit', 'mail', '--params', '{"to":"ann"}', '--key', 'k']
    expect((await mulligan(...argv)).stdout).toBe('op_1\n')
    expect(await mulligan(...argv)).toMatchObject({
      stdout: 'op_1\n',
      stderr: expect.stringContaining('op_1 already exists: due'),
    })
  })

  it.each<[string[], string]>([
    [[], 'name the CAPABILITY to run'],
    [['mial', '--param', 'to=x'], 'did you mean "mail"?'],
    [['mail', '--param', 'to'], '--param takes NAME=VALUE'],
    [['mail', '--params', '[]'], '--params takes a JSON object'],
    [['mail', '--param', 'too=x'], 'are invalid for capability "mail"'],
    [['mail', '--at', 'soon'], '--at takes a time such as'],
    [['mail', '--at', '10'], 'or a duration from now such as 10m, not "10"'],
    [['mail', '--at', '2026-02-30T00:00:00Z'], '--at takes a time such as'],
    [['mail', '--priority', '11'], '--priority takes a whole number from -10 to 10'],
  ])('refuses %j', async (argv, message) => {
    expect(await mulligan('submit', ...argv)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    })
  })
})

describe('mulligan ops', () => {
  it('shows a queued retry with its time and retries left, and a timeline with evidence and reasons', async () => {
    await mulligan('submit', 'mail', '--param', 'to=ann')
    await runDue(fail)
    const { stdout } = await mulligan('ops', 'show', 'op_1')
    const [first] = stdout.split('\n')
    expect(first).toMatch(/^op_1 {2}mail {2}retry \S+Z \(in [\d.]+ s\), 2 retries left$/)
    expect(stdout).toContain('params    {"to":"ann"}')
    expect(stdout).toMatch(/ {2}submitted\n.*run 1 started\n.*try 1 failed: transient\/network: /)
    expect(stdout).toContain('evidence: rule ')
    expect(stdout).toContain('effect: none')
    expect(stdout).toMatch(/verdict: retry, because .*\n.*retry at /)
    expect(await json('ops', 'show', 'op_1')).toMatchObject({
      state: 'scheduled',
      retries: 1,
      remaining_retries: 2,
      failure: { kind: 'network' },
      history: [
        {
          number: 1,
          failure: { class: 'transient' },
          verdict: {
            action: 'retry',
            delay_ms: expect.toSatisfy((ms: number) => ms >= 10_000 && ms <= 12_500),
          },
        },
      ],
      timeline: [
        { type: 'submitted' },
        { type: 'claimed' },
        { type: 'retrying', data: { due_at: expect.stringMatching(/Z$/) } },
      ],
    })
  })

  it('shows the reason for a wait only during the wait', async () => {
    await mulligan('submit', 'mail', '--param', 'to=ann')
    await runDue(fail)
    const reason = /because {3}(.+)\n/.exec((await mulligan('ops', 'show', 'op_1')).stdout)?.[1] as string
    expect((await mulligan('ops', 'ls')).stdout).toContain(reason)
    expect(await json('ops', 'show', 'op_1')).toMatchObject({ reason })
    await mulligan('ops', 'retry', 'op_1')
    await runDue(() => 'sent')
    expect((await mulligan('ops', 'show', 'op_1')).stdout).not.toMatch(/^ {2}because/m)
    expect((await mulligan('ops', 'ls')).stdout).toMatch(/^op_1 {2}mail {2}succeeded \S+ \([^)]+\)\n$/)
    expect(await json('ops', 'show', 'op_1')).not.toHaveProperty('reason')
  })

  it('ls fills its page even if deliveries to surfaces are left out', async () => {
    queue = await openQueue({ data: join(folder, 'state'), capabilities: [] })
    const message = { capability: 'notice:chat', params: {} }
    const mail = { capability: 'mail', params: { to: 'ada' } }
    const operations = [mail, mail, mail, message, message, mail, message, message]
    await queue.ledger.transaction(writes => writes.insert(operations))
    await queue.close()
    queue = undefined
    const first = await json('ops', 'ls', '--limit', '2')
    expect(first.operations).toHaveLength(2)
    const rest = await json('ops', 'ls', '--cursor', first.next)
    const ids = [...first.operations, ...rest.operations].map(({ id }: { id: string }) => id)
    expect(new Set(ids).size).toBe(4)
    expect((await json('ops', 'ls', '--capability', 'notice:chat')).operations).toHaveLength(4)
  })

  it('lists by filter, a page at a time', async () => {
    for (const to of ['a', 'b', 'c']) await mulligan('submit', 'mail', '--param', `to=${to}`)
    const first = await json('ops', 'ls', '--limit', '2')
    expect(first.operations.map(({ id }: { id: string }) => id)).toEqual(['op_3', 'op_2'])
    const second = await json('ops', 'ls', '--limit', '2', '--cursor', first.next)
    expect(second).toMatchObject({ operations: [{ id: 'op_1' }] })
    expect(second.next).toBeUndefined()
    expect((await mulligan('ops', 'ls', '--state', 'dead')).stdout).toBe('No operations match.\n')
    expect((await json('ops', 'ls', '--since', '2h')).operations).toHaveLength(3)
    expect((await json('ops', 'ls', '--before', '2h')).operations).toHaveLength(0)
    expect((await mulligan('ops', 'ls', '--state', 'scheduled', '--capability', 'mail')).stdout).toMatch(
      /^op_3 {2}mail {2}due\nop_2/,
    )
  })

  it('starts a dead operation afresh, and keeps its history', async () => {
    await mulligan('submit', 'mail', '--param', 'to=ann')
    await runDue(refuse)
    expect(await json('ops', 'show', 'op_1')).toMatchObject({ state: 'dead', dead_as: 'refused' })
    expect((await mulligan('ops', 'wait', 'op_1')).code).toBe(1)
    expect((await mulligan('ops', 'retry', 'op_1')).stdout).toBe('op_1: runs again\n')
    await runDue(() => 'sent')
    expect(await mulligan('ops', 'wait', 'op_1')).toMatchObject({ code: 0, stdout: 'sent\n' })
    expect(await json('ops', 'show', 'op_1')).toMatchObject({
      attempts: 2,
      state: 'succeeded',
      result: 'sent',
    })
  })

  it('marks a dead operation as done, with its result and how a person knows', async () => {
    await mulligan('submit', 'mail', '--param', 'to=ann')
    expect(await mulligan('ops', 'done', 'op_1')).toMatchObject({ code: 2 })
    await runDue(refuse)
    const marking = ['ops', 'done', 'op_1', '--result', '{"receipt":7}', '--reason', 'seen in the bank']
    expect(await mulligan(...marking)).toMatchObject({ code: 0, stdout: 'op_1: marked as done\n' })
    expect(await json('ops', 'show', 'op_1')).toMatchObject({ state: 'succeeded', result: { receipt: 7 } })
    expect((await mulligan('ops', 'show', 'op_1')).stdout).toContain('seen in the bank')
    expect((await mulligan('ops', 'done', 'op_1')).code).toBe(2)
  })

  it('says before a retry which operations may take effect a second time', async () => {
    await mulligan('submit', 'mail', '--param', 'to=ann')
    await runDue(() => {
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    })
    await mulligan('ops', 'cancel', 'op_1')
    const config = join(folder, 'mulligan.toml')
    writeFileSync(config, readFileSync(config, 'utf8').replace('"replay"', '"none"'))
    expect((await mulligan('ops', 'retry', '--state', 'dead')).stdout).toBe(
      'op_1  mail  dead: runs again; it may already have taken effect, and nothing can check that\nNothing changed yet; to apply: --yes\n',
    )
    expect(await json('ops', 'retry', '--state', 'dead')).toMatchObject({ needs_person: 1, done: false })
  })

  it('shows what a filter would change, and applies it with --yes', async () => {
    for (const to of ['a', 'b']) await mulligan('submit', 'mail', '--param', `to=${to}`)
    const looked = await mulligan('ops', 'cancel', '--capability', 'mail')
    expect(looked.stdout).toBe(
      'op_2  mail  scheduled: cancelled\nop_1  mail  scheduled: cancelled\nNothing changed yet; to apply: --yes\n',
    )
    expect(await json('ops', 'cancel', '--capability', 'mail', '--yes')).toMatchObject({
      done: true,
      counts: { cancelled: 2 },
      left: [],
    })
    expect(await mulligan('ops', 'cancel', 'op_1')).toMatchObject({
      code: 1,
      stdout: 'op_1: is dead, so cancel does nothing\n',
    })
    expect((await mulligan('ops', 'discard', 'op_1')).stdout).toBe('op_1: deleted, with its history\n')
    expect((await mulligan('ops', 'cancel', '--capability', 'mail')).stdout).toBe(
      'op_2  mail  dead: left alone\nNothing to do.\n',
    )
    expect((await mulligan('ops', 'cancel', '--state', 'running')).stdout).toBe('No operations match.\n')
  })

  it('edits one parameter and keeps the others', async () => {
    await mulligan('submit', 'mail', '--param', 'to=ann', '--param', 'token=hush')
    expect(await json('ops', 'edit', 'op_1', '--param', 'to=bob', '--priority', '5')).toMatchObject({
      params: { to: 'bob', token: REDACTED },
      priority: 5,
    })
    expect(await mulligan('ops', 'edit', 'op_1', '--param', 'tu=x')).toMatchObject({ code: 2 })
  })

  it('starts a dead operation afresh with other parameters, if asked to revive it', async () => {
    await mulligan('submit', 'mail', '--param', 'to=ann')
    await mulligan('ops', 'cancel', 'op_1')
    const refused = await mulligan('ops', 'edit', 'op_1', '--param', 'to=bob')
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('start it afresh (revive)') })
    const revived = await json('ops', 'edit', 'op_1', '--param', 'to=bob', '--revive')
    expect(revived).toMatchObject({ state: 'scheduled', params: { to: 'bob' } })
  })

  it('watches an operation until it has ended', async () => {
    await mulligan('submit', 'mail', '--param', 'to=ann')
    const watched = mulligan('ops', 'watch', 'op_1')
    await runDue(() => 'sent')
    const { code, stdout } = await watched
    expect(code).toBe(0)
    expect(stdout.replaceAll(/^\S+ {2}/gm, '')).toMatch(
      /^op_1 {2}submitted\nop_1 {2}run 1 started\nop_1 {2}succeeded \(run took [^)]+\)\n$/,
    )
  })

  it('stops waiting when interrupted, and says that the operation continues', async () => {
    await mulligan('submit', 'mail', '--param', 'to=ann')
    const controller = new AbortController()
    const waiting = runCommand(['ops', 'wait', 'op_1'], { cwd: folder, signal: controller.signal })
    controller.abort(new Error('stopped by SIGINT'))
    expect(await waiting).toMatchObject({ code: 130, stderr: expect.stringContaining('op_1; it continues') })
  })

  it('reports how long an operation will wait, while waiting for it', async () => {
    const stop = new AbortController()
    await mulligan('submit', 'mail', '--param', 'to=ann')
    await runDue(fail)
    const { code, stderr } = await runCommand(['ops', 'wait', 'op_1'], {
      cwd: folder,
      now: Date.now,
      signal: stop.signal,
      onStderr: text => text.includes('2 retries left') && stop.abort(new Error('stopped by SIGINT')),
    })
    expect(code).toBe(130)
    expect(stderr).toMatch(/\nmulligan: op_1 retry \S+ \(in .*\), 2 retries left: network: may be temporary/)
  })

  it('reports what a parked operation waits for, while waiting for it', async () => {
    const stop = new AbortController()
    await mulligan('submit', 'mail', '--param', 'to=ann')
    queue = await openQueue({ data: join(folder, 'state') })
    const waiting = runCommand(['ops', 'wait', 'op_1'], {
      cwd: folder,
      now: Date.now,
      signal: stop.signal,
      onStderr: text => text.includes('op_1 waiting') && stop.abort(new Error('stopped by SIGINT')),
    })
    await queue.engine.park(['op_1'], { for: 'label', reason: 'unknown failure' })
    expect((await waiting).stderr).toMatch(
      /\nmulligan: op_1 waiting for a person to say what the failure is since \S+ \(.*\): unknown failure\n/,
    )
  })

  it.each<[string[], string]>([
    [['shwo', 'op_1'], 'did you mean "ops show"?'],
    [['show'], 'ops show needs an operation ID'],
    [['show', 'op_9'], 'no operation "op_9"'],
    [['cancel'], 'needs an ID, or a filter'],
    [['ls', '--state', 'daed'], 'did you mean dead?'],
    [['ls', '--class', 'x'], '--class takes one of'],
    [['ls', '--class', 'thottle'], 'did you mean throttle?'],
    [['ls', '--kind', 'x'], '--kind takes the kind of a failure'],
    [['ls', '--kind', 'ratelimit'], 'did you mean rate_limit?'],
    [['edit', 'op_9'], 'no operation'],
    [
      ['cancel', '--state', 'scheduled', '--limit', '5', '--yes'],
      'ops cancel takes no --limit, which is for ops ls',
    ],
    [
      ['show', 'op_1', '--state', 'dead'],
      'ops show takes no --state, which is for ops ls, retry, cancel, discard',
    ],
    [['retry', 'op_1', '--param', 'to=x'], 'ops retry takes no --param, which is for ops edit'],
  ])('refuses %j', async (argv, message) => {
    expect(await mulligan('ops', ...argv)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    })
  })

  it('can be listed although a module is missing, because nothing is loaded', async () => {
    await mulligan('submit', 'mail', '--param', 'to=ann')
    writeFileSync(join(folder, 'mulligan.toml'), '[queue]\ndata = "state"\nmodules = ["./gone.ts"]\n')
    expect(await mulligan('ops', 'ls')).toEqual({ code: 0, stdout: 'op_1  mail  due\n', stderr: '' })
  })

  it('can be listed although a capability is declared wrongly, with a warning', async () => {
    await mulligan('submit', 'mail', '--param', 'to=ann')
    writeFileSync(
      join(folder, 'mulligan.toml'),
      '[queue]\ndata = "state"\n[[capability]]\nname = "x"\nargv = ["true", "{gone}"]\n',
    )
    const { code, stdout, stderr } = await mulligan('ops', 'ls')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'op_1  mail  due\n' })
    expect(stderr).toContain(`cannot load capabilities: ${join(folder, 'mulligan.toml')}:4:1: `)
  })
})

describe('mulligan submit without the capability', () => {
  it('says how to add one', async () => {
    writeFileSync(join(folder, 'mulligan.toml'), '[queue]\ndata = "state"\n')
    expect((await mulligan('submit', 'mail')).stderr).toContain(
      'unknown capability "mail": neither the config nor a live runner has it; add a [[capability]] to mulligan.toml',
    )
  })

  it('submits nothing that only a module might have, unless told to', async () => {
    await mulligan('submit', 'mail', '--param', 'to=ann')
    writeFileSync(join(folder, 'mulligan.toml'), '[queue]\ndata = "state"\nmodules = ["./gone.ts"]\n')
    const { code, stdout, stderr } = await mulligan('submit', 'mail', '--param', 'token=hush')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(
      'if a module of [queue] has it, start "mulligan serve" first, or use --unchecked',
    )
    expect((await json('ops', 'ls')).operations).toHaveLength(1)
  })

  it('warns that parameters are not encrypted for a capability that only a runner has', async () => {
    queue = await openQueue({
      data: join(folder, 'state'),
      capabilities: [
        defineCapability({ retry: 'none', name: 'elsewhere', params: z.any(), run: () => 'done' }),
      ],
    })
    await queue.runner().start()
    expect(await mulligan('submit', 'elsewhere', '--param', 'a=b', '--wait')).toEqual({
      code: 0,
      stdout: 'done\n',
      stderr:
        'mulligan: this config does not declare elsewhere, so its runner will check the parameters, and they are stored unencrypted; pass a secret as env:NAME, or with --param-env, --param-file or --param-stdin\n',
    })
  })
})

describe('mulligan status', () => {
  it('counts waiting, running, parked and dead operations', async () => {
    await mulligan('submit', 'mail', '--param', 'to=ann')
    await runDue(refuse)
    await mulligan('submit', 'mail', '--param', 'to=bob', '--at', '2h')
    expect(await json('status')).toMatchObject({
      retry_queue: { queued: 1, next_retry_at: expect.stringMatching(/Z$/) },
      due: 0,
      held: 0,
      running: 0,
      parked: { total: 0, for: {} },
      dead: 1,
      providers: [],
      runners: [],
      paused: { queue: false },
    })
    const { stdout } = await mulligan('status')
    expect(stdout).toMatch(
      /^ledger {5}\d+ kB\nqueued {5}1 \(next \S+ \(in (?:2 h|1 h 59 min)\)\)\nrunning {4}0\n/,
    )
    expect(stdout).toContain('No runner is alive; start one: mulligan serve')
    expect((await mulligan('status', '--alive')).code).toBe(1)
  })
})

describe('mulligan status of runners', () => {
  it('says which have been silent', async () => {
    queue = await openQueue({ data: join(folder, 'state') })
    await queue.ledger.advertise({ id: 'r1', label: 'host 7', capabilities: [] })
    expect((await mulligan('status')).stdout).toContain('A runner is alive: host 7\n')
    const later = await runCommand(['status'], { cwd: folder, now: Date.now() + 40_000 })
    expect(later.stdout).toMatch(/A runner is alive: host 7 \(last seen (?:39|4\d)\.?\d* s ago\)\n/)
  })
})

describe('mulligan queue', () => {
  it('warns that it created the ledger', async () => {
    expect((await mulligan('queue', 'pause', '--data', 'other')).stderr).toBe(
      `mulligan: ${join(folder, 'other')} had no ledger; created one\n`,
    )
    expect((await mulligan('queue', 'resume', '--data', 'other')).stderr).toBe('')
  })

  it('is reported as paused on submit', async () => {
    await mulligan('queue', 'pause', 'mail')
    const paused = async () => (await mulligan('submit', 'mail', '--param', 'to=ann')).stderr
    expect(await paused()).toContain(
      'capability mail is paused, so it waits; to resume: mulligan queue resume mail',
    )
    await mulligan('queue', 'pause')
    expect(await paused()).toContain('the queue is paused, so it waits; to resume: mulligan queue resume\n')
  })

  it('pauses and resumes everything, or one capability', async () => {
    expect((await mulligan('queue', 'pause')).stdout).toBe('the queue is paused\n')
    expect((await mulligan('status')).stdout).toContain(
      'The queue is paused; to resume: mulligan queue resume',
    )
    expect(await json('queue', 'pause', 'mail')).toMatchObject({
      paused: { queue: true, capabilities: ['mail'] },
    })
    expect((await mulligan('queue', 'resume')).stdout).toBe('the queue is running\n')
    expect((await mulligan('queue', 'resume', 'mail')).stdout).toBe('capability mail is running\n')
    expect(await json('status')).toMatchObject({ paused: { queue: false, capabilities: [] } })
    expect(await mulligan('queue', 'pause', 'mial')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean "mail"?'),
    })
  })
})

describe('before anything was submitted', () => {
  const nothing = () =>
    `Nothing yet: no ledger in ${join(folder, 'state')}; "mulligan submit" or "mulligan serve" creates one.\n`

  it.each([['status'], ['ops', 'ls'], ['ops', 'ls', '--state', 'dead'], ['prune']])(
    '%s %s says so, and makes no folder',
    async (...argv) => {
      expect(await mulligan(...argv)).toEqual({ code: 0, stdout: nothing(), stderr: '' })
      expect(existsSync(join(folder, 'state'))).toBe(false)
    },
  )

  it('JSON is the same as for an empty ledger', async () => {
    expect(await json('ops', 'ls')).toEqual({ operations: [] })
    expect(await json('prune')).toEqual({
      succeeded: 0,
      dead: 0,
      events: 0,
      notices: 0,
      workflows: 0,
      files: 0,
      freed_bytes: 0,
    })
    expect(await json('status')).toMatchObject({
      retry_queue: { queued: 0 },
      due: 0,
      held: 0,
      running: 0,
      parked: { total: 0, for: {} },
      succeeded: 0,
      dead: 0,
      paused: { queue: false, capabilities: [], providers: [] },
      providers: [],
      runners: [],
      schedules: [],
      data: join(folder, 'state'),
    })
    expect(existsSync(join(folder, 'state'))).toBe(false)
  })

  it.each(['show', 'retry', 'cancel', 'discard', 'edit', 'wait', 'watch'])(
    'there is no operation to %s, and no folder is created',
    async verb => {
      const { code, stderr } = await mulligan(
        'ops',
        verb,
        'op_1',
        ...(verb === 'edit' ? ['--priority', '1'] : []),
      )
      expect(code).toBe(2)
      expect(stderr).toContain('no operation "op_1"')
      expect(existsSync(join(folder, 'state'))).toBe(false)
    },
  )

  it('results without a ledger are left alone', async () => {
    const file = join(folder, 'state', 'results', 'op_1.1.json')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '1')
    expect((await mulligan('prune')).stdout).toBe(nothing())
    expect(existsSync(file)).toBe(true)
  })
})

describe('mulligan prune', () => {
  it('deletes operations older than the given age, and their result files', async () => {
    await mulligan('submit', 'mail', '--param', 'to=ann')
    await runDue(() => 'x'.repeat(100_000))
    expect(existsSync(join(folder, 'state', 'results', 'op_1.1.json'))).toBe(true)
    await mulligan('submit', 'mail', '--param', 'to=bob', '--at', '2h')
    expect(await json('prune')).toEqual({
      succeeded: 0,
      dead: 0,
      events: 0,
      notices: 0,
      workflows: 0,
      files: 0,
      freed_bytes: 0,
    })
    expect(await json('prune', '--succeeded', '1ms')).toEqual({
      succeeded: 1,
      dead: 0,
      events: 0,
      notices: 0,
      workflows: 0,
      files: 1,
      freed_bytes: 0,
    })
    expect(existsSync(join(folder, 'state', 'results', 'op_1.1.json'))).toBe(false)
  })

  it("deletes the queue's events at the age that the config or the flag gives", async () => {
    await mulligan('queue', 'pause')
    await mulligan('queue', 'resume')
    await mulligan('submit', 'mail', '--param', 'to=ann', '--unchecked')
    const db = new DatabaseSync(join(folder, 'state', 'ledger.db'))
    db.exec('UPDATE events SET at = at - 2 * 86400000')
    db.close()
    expect(await json('prune')).toMatchObject({ events: 0 })
    // Each change, and who made it.
    expect(await json('prune', '--events', '1d')).toMatchObject({ events: 4 })
  })
})
