import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { testContext } from '../../test/capability/context.ts'
import type { Failure } from '../failure/failure.ts'
import { KnownFailure } from '../failure/own-error.ts'
import { failureOfKind } from '../testing/core/scripted-failure.ts'
import type { RetryPolicy } from '../verdict/retry-policy.ts'
import type { Capability } from './capability.ts'
import { defineCapability } from './define.ts'
import { agentCapability } from './kind/agent-capability.ts'
import { commandCapability } from './kind/command-capability.ts'
import type { Params } from './kind/declared.ts'
import { httpCapability } from './kind/http-capability.ts'
import { isRefusal, REFUSING_STATUSES } from './kind/refusal.ts'
import { failureOfTryElsewhere, failureOfWholeTry } from './whole-try.ts'
import { runWork, workFailure } from './work.ts'
import { WorkFailed } from './work-failed.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = undefined
})

async function serving(answer: RequestListener): Promise<string> {
  const made = createServer(answer)
  server = made
  await new Promise<void>(resolve => made.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}/`
}

/** The failure of one try, as stored with the attempt. */
async function failureOf(
  capability: Capability<never> | Capability<Params>,
  given: { signal?: AbortSignal; remainingMs?: number } = {},
): Promise<Failure> {
  let isCommitted = false
  const committed = () => {
    isCommitted = true
  }
  const outcome = await runWork(
    capability as Capability<never>,
    {} as never,
    testContext({ ...given, committed }),
  )
  const failure = workFailure(outcome, {}) as Failure
  return failureOfWholeTry(capability, outcome, failure, isCommitted)
}

describe('a try of an HTTP capability', () => {
  const request = (url: string, more: object = {}) => httpCapability({ name: 'x', url, ...more })

  it.each([
    [429, {}],
    [503, { 'retry-after': '7' }],
    [401, {}],
    [413, {}],
  ])('did nothing when the server refused it with %i', async (status, headers) => {
    const url = await serving((_request, response) => response.writeHead(status, headers).end('no'))
    expect(await failureOf(request(url))).toMatchObject({ status, effect: 'none' })
  })

  it('may have done something when its status is no refusal, or its answer says so', async () => {
    const answering = (status: number, body: string) =>
      serving((_request, response) => response.writeHead(status).end(body))
    expect(await failureOf(request(await answering(422, 'no')))).toMatchObject({ effect: 'maybe' })
    const sent = 'Order 17 created, but sending the mail failed: 401 Unauthorized'
    expect(await failureOf(request(await answering(401, sent)))).toMatchObject({ effect: 'maybe' })
  })

  it('may have done something when the server failed in the middle of it', async () => {
    const url = await serving((_request, response) => response.writeHead(500).end('oops'))
    expect(await failureOf(request(url))).toMatchObject({ status: 500, effect: 'maybe' })
  })

  it('did nothing when no connection was made', async () => {
    const url = await serving(() => {})
    server?.close()
    await new Promise(resolve => server?.once('close', resolve))
    expect(await failureOf(request(url))).toMatchObject({ class: 'transient', effect: 'none' })
  })

  it('may have done something when a 2xx answer says that it failed', async () => {
    const body = JSON.stringify({ error: { type: 'rate_limit_error', message: 'slow down' } })
    const url = await serving((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    )
    expect(await failureOf(request(url))).toMatchObject({ class: 'throttle', effect: 'maybe' })
    expect(await failureOf(request(url, { atomic: true }))).toMatchObject({ effect: 'none' })
  })

  it('may have done something when a 2xx answer cannot be read', async () => {
    const url = await serving((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half')
      response.socket?.end()
    })
    expect(await failureOf(request(url))).toMatchObject({ class: 'transient', effect: 'maybe' })
  })

  it('did nothing when the server refused it, even if the body was cut off', async () => {
    const url = await serving((_request, response) => {
      response.writeHead(429, { 'content-length': '100' }).write('half')
      response.socket?.end()
    })
    expect(await failureOf(request(url))).toMatchObject({ kind: 'rate_limit', status: 429, effect: 'none' })
  })

  it('may have done something when it was not the request that failed, no matter what a classifier says', () => {
    const outcome = { ended: 'threw' as const, error: new Error('the answer could not be read') }
    const failure = failureOfKind('rate_limit')
    expect(failureOfWholeTry(request('http://x.test'), outcome, failure, false).effect).toBe('maybe')
  })

  it('may have done something when it was aborted at its deadline', async () => {
    const url = await serving(() => {})
    expect(await failureOf(request(url), { remainingMs: 50 })).toMatchObject({
      class: 'timeout',
      effect: 'maybe',
    })
  })
})

describe('a try of a command', () => {
  const command = (argv: readonly string[], more: object = {}) =>
    commandCapability({ name: 'x', argv, retry: 'none', ...more })
  const refused = [process.execPath, '-e', 'console.error("429 Too Many Requests"); process.exit(1)']

  it('may have done something, no matter what it printed last', async () => {
    expect(await failureOf(command(refused))).toMatchObject({ class: 'throttle', effect: 'maybe' })
  })

  it('may have done something whatever it prints, also when it is atomic', async () => {
    expect(await failureOf(command(refused, { atomic: true }))).toMatchObject({ effect: 'maybe' })
    expect(await failureOf(command(refused, { retry: 'replay' }))).toMatchObject({ effect: 'maybe' })
  })

  it('did nothing when the program could not be started', async () => {
    const missing = command(['/no/such/program'])
    expect(await failureOf(missing)).toMatchObject({ kind: 'binary_not_found', effect: 'none' })
  })
})

describe('a try of a function', () => {
  const nothing = z.object({})
  const overloaded = Object.assign(new Error('Overloaded'), { status: 529 })
  const failing = (error: unknown, retry: RetryPolicy, more: object = {}) =>
    defineCapability({
      name: 'x',
      params: nothing,
      ...(retry === 'verify_first' ? { retry, verify: () => false } : { retry }),
      run: () => {
        throw error
      },
      ...more,
    })

  it.each(['none', 'verify_first'] as const)('with %s may have done something before', async retry => {
    expect(await failureOf(failing(overloaded, retry))).toMatchObject({ effect: 'maybe' })
    // A program it started, or a request it sent, is only one of its steps.
    const notFound = Object.assign(new Error('spawn git ENOENT'), { code: 'ENOENT', syscall: 'spawn git' })
    expect(await failureOf(failing(notFound, retry))).toMatchObject({ effect: 'maybe' })
    const known = new KnownFailure(failureOfKind({ kind: 'overloaded', effect: 'none' }))
    expect(await failureOf(failing(known, retry))).toMatchObject({ effect: 'maybe' })
  })

  it('may also have done something when it returned a failure', async () => {
    const run = () => ({ error: { type: 'rate_limit_error', message: 'slow down' } })
    expect(await failureOf(failing(undefined, 'none', { run }))).toMatchObject({ effect: 'maybe' })
    expect(await failureOf(failing(undefined, 'none', { run, atomic: true }))).toMatchObject({
      effect: 'none',
    })
  })

  it('is one request if it is atomic, until it has committed', async () => {
    expect(await failureOf(failing(overloaded, 'none', { atomic: true }))).toMatchObject({ effect: 'none' })
    const run = (_params: unknown, { committed }: { committed(): void }) => {
      committed()
      throw overloaded
    }
    expect(await failureOf(failing(undefined, 'none', { atomic: true, run }))).toMatchObject({
      effect: 'maybe',
    })
  })

  it('did nothing when it was aborted before it began', async () => {
    const signal = AbortSignal.abort()
    expect(await failureOf(failing(overloaded, 'none'), { signal })).toMatchObject({ effect: 'none' })
  })
})

describe('a try of an agent', () => {
  const agent = (runAgent: () => Promise<unknown>) => agentCapability({ name: 'x', prompt: 'hi', runAgent })

  it.each(['none', 'maybe'] as const)('did what its driver saw: %s', async effect => {
    const known = new KnownFailure(failureOfKind({ kind: 'usage_limit', effect }))
    expect(await failureOf(agent(() => Promise.reject(known)))).toMatchObject({ effect })
  })

  it('may have done something unless a driver says otherwise', async () => {
    const error = Object.assign(new Error('Overloaded'), { status: 529 })
    expect(await failureOf(agent(() => Promise.reject(error)))).toMatchObject({ effect: 'maybe' })
  })
})

describe('a try that was made elsewhere', () => {
  const limit = failureOfKind('rate_limit')
  const tried = (kind: Capability['kind']) => ({ kind, retry: 'none' as const, atomic: false })

  it('of an agent did nothing only if its driver saw that', () => {
    const isBegun = true
    expect(failureOfTryElsewhere(tried('agent'), limit, { isBegun, isSeen: true }).effect).toBe('none')
    expect(failureOfTryElsewhere(tried('agent'), limit, { isBegun, isSeen: false }).effect).toBe('maybe')
  })

  it.each<Capability['kind']>(['function', 'command', 'agent', 'http'])(
    'did nothing if no provider admitted it: %s',
    kind => {
      const known = { isBegun: false, isSeen: false }
      expect(failureOfTryElsewhere(tried(kind), limit, known).effect).toBe('none')
    },
  )
})

describe('an answer of a server', () => {
  const http = { kind: 'http', retry: 'none', atomic: false } as const
  const effectAfter = (
    status: number,
    headers: Record<string, string>,
    body: string,
    declared: number[] = [],
  ) => {
    const answer = { status, headers, body }
    const refused = declared.includes(status) ? 'as declared' : isRefusal(answer) ? 'by status' : undefined
    const outcome = { ended: 'threw', error: new WorkFailed(`answered ${status}`, answer, refused) } as const
    return failureOfWholeTry(http, outcome, workFailure(outcome, {}) as Failure, false).effect
  }

  it.each([...REFUSING_STATUSES])('with %s is a refusal', status => {
    expect(effectAfter(status, {}, '')).toBe('none')
  })

  it.each([400, 409, 422, 500, 502, 503, 504, 520, 521, 523, 529])('with a bare %s is none', status => {
    expect(effectAfter(status, {}, '')).toBe('maybe')
    expect(effectAfter(status, {}, 'Service overloaded, nothing was done, try again')).toBe('maybe')
  })

  it('with 503 is one if it says when to come back, or if the capability declares it', () => {
    expect(effectAfter(503, { 'retry-after': '30' }, '')).toBe('none')
    expect(effectAfter(503, {}, '', [503])).toBe('none')
    expect(effectAfter(500, {}, '', [503])).toBe('maybe')
  })

  it('with a documented code is one', () => {
    const body = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
    expect(effectAfter(529, { 'content-type': 'application/json' }, body)).toBe('none')
  })
})
