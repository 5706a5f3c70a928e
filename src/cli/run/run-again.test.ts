import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { runCommand } from '../../../test/cli/terminal.ts'
import { TestApi } from '../../../test/gateway/http/api.ts'
import { TestServer } from '../../../test/mcp-server.ts'
import type { Capability } from '../../capability/capability.ts'
import { defineCapability } from '../../capability/define.ts'
import { toolsFor } from '../../gateway/mcp/server/server.ts'
import type { McpTool } from '../../gateway/mcp/server/tool.ts'
import { Queue } from '../../queue/queue.ts'
import { defineWorkflow } from '../../workflow/define.ts'
import { Workflows } from '../../workflow/workflows.ts'
import { COMMAND_NAMES } from '../commands.ts'

// A charge whose answer was lost, and which nothing can check. Every way to run it again is listed here, and does nothing until
// somebody accepts that it may happen twice. A new route, tool, command or method that is in no list fails the last tests.

const FAR = 8e15
const end: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const each of end.splice(0).reverse()) await each()
})

/** A charge that may have happened, in each form in which something could run it again. */
class Scene {
  charges = 0
  readonly #begun = Promise.withResolvers<void>()

  readonly charge = defineCapability({
    name: 'charge',
    params: z.object({ works: z.boolean().optional(), hangs: z.boolean().optional() }),
    retry: 'none',
    run: async ({ works, hangs }, { signal }) => {
      this.charges++
      this.#begun.resolve()
      if (works || this.charges > 1) return 'charged'
      if (hangs)
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    },
  })

  readonly stop = defineCapability({
    name: 'stop',
    params: z.object({}),
    retry: 'replay',
    run: async () => {
      await this.#begun.promise
      throw Object.assign(new Error('not found'), { status: 404 })
    },
  })

  get capabilities(): readonly Capability[] {
    return [this.charge, this.stop] as unknown as Capability[]
  }

  /** Starts what the way needs, and returns the id of the operation or run. */
  async make(form: Form, queue: Queue, until: <T>(work: Promise<T>) => Promise<T>): Promise<string> {
    if (form === 'aborted' || form === 'done') {
      const workflow = defineWorkflow({
        name: 'buy',
        params: z.object({}),
        steps: ({ run }) => {
          const pay = run('pay', this.charge, {
            params: form === 'done' ? { works: true } : { hangs: true },
          })
          if (form === 'aborted') run('check', this.stop, { params: {}, onFail: 'abort' })
          return void pay
        },
      })
      const started = await queue.start(workflow, {})
      expect((await until(started.wait())).run.state).toBe(form === 'done' ? 'succeeded' : 'failed')
      // The run does not wait for the end of what its own end cancels.
      await until(queue.wait(await newestCharge(queue)))
      return started.id
    }
    const { id } = await queue.submit('charge', {})
    expect(await until(queue.wait(id))).toMatchObject({ state: 'dead', deadAs: 'unverifiable' })
    if (form === 'parked') {
      await queue.engine.revive([id], FAR)
      await queue.engine.park([id], { for: 'payment', reason: 'no money' })
    }
    return id
  }
}

type Form = 'dead' | 'parked' | 'aborted' | 'done'

/** Tries one way. The text is what its caller hears. */
type Way = readonly [form: Form, go: (id: string, isAccepted: boolean) => Promise<unknown>]

const said = async (work: Promise<unknown>): Promise<string> => {
  try {
    return JSON.stringify((await work) ?? '')
  } catch (error) {
    return String(error)
  }
}

/** Nothing happens without the word that accepts it, which the refusal names; with it, it happens. */
async function check(scene: Scene, [form, go]: Way, queue: Queue, flag: RegExp, until = same) {
  const id = await scene.make(form, queue, until)
  expect(scene.charges).toBe(1)
  const refused = await said(go(id, false))
  expect(refused).toMatch(/may (already have|happen)|"left":\["op_1"\]/)
  expect(refused).toMatch(flag)
  const { state } = (await queue.ledger.get(await newestCharge(queue))) ?? {}
  expect(state).toBe(form === 'parked' ? 'parked' : form === 'done' ? 'succeeded' : 'dead')
  await said(go(id, true))
  // A command may leave the start to a runner that has the capability.
  if (until === same) await expect.poll(() => scene.charges, { timeout: 20_000 }).toBe(2)
  expect(await until(queue.wait(await newestCharge(queue)))).toMatchObject({ state: 'succeeded' })
  expect(scene.charges).toBe(2)
}
/** The operation that charges: the first, or the one that charges anew. */
async function newestCharge({ ledger }: Queue): Promise<string> {
  return (await ledger.list({ capability: 'charge' })).items[0]?.id as string
}

const same = <T>(work: Promise<T>) => work

describe('in the library', () => {
  const of = (queue: Queue): Readonly<Record<string, Way>> => {
    const workflows = new Workflows(queue)
    return {
      'Queue.retry': ['dead', (id, mayRepeat) => queue.retry(id, { mayRepeat })],
      'Queue.retry of what is parked': ['parked', (id, mayRepeat) => queue.retry(id, { mayRepeat })],
      'Queue.apply': [
        'dead',
        async (id, mayRepeat) => queue.apply(await queue.preview('retry', { ids: [id] }), { mayRepeat }),
      ],
      'Queue.edit': ['dead', (id, mayRepeat) => queue.edit(id, { params: {}, revive: true, mayRepeat })],
      'Workflows.advance': ['aborted', (id, mayRepeat) => workflows.advance(id, 'check', 1, { mayRepeat })],
      'Workflows.skip': ['aborted', (id, mayRepeat) => workflows.skip(id, 'check', { mayRepeat })],
      'Workflows.retry': ['aborted', (id, mayRepeat) => workflows.retry(id, { step: 'pay', mayRepeat })],
      'Workflows.retry from a step': [
        'done',
        (id, mayRepeat) => workflows.retry(id, { step: 'pay', from: true, mayRepeat }),
      ],
    }
  }
  it.each(Object.keys(of({} as Queue)))('%s asks', async name => {
    const scene = new Scene()
    const server = await TestServer.start({ capabilities: scene.capabilities })
    end.push(() => server.close())
    const { queue, time } = server
    await queue.runner().start()
    const flag = name === 'Queue.apply' ? /left/ : /mayRepeat: true$/
    await check(scene, of(queue)[name] as Way, queue, flag, work => time.until(work))
  })

  /** What runs nothing a second time: it reads, stops, makes something new, or only lets the rules decide again. */
  const OTHERS: Readonly<Record<string, string>> = {
    Queue: `cancel close constructor discard engine handOver hasRunner health ledger markDone pause prepare preview prune registry result
      resume run runner standing start status submit submitMany time unpark wait`,
    Workflows: 'actions cancel constructor list result show',
  }
  it.each(Object.entries({ Queue, Workflows }))(
    '%s has no other method that could',
    (name, { prototype }) => {
      const asking = Object.keys(of({} as Queue)).flatMap(way => {
        const [owner, method] = way.split(/[. ]/)
        return owner === name ? [method] : []
      })
      const known = [...new Set(asking), ...(OTHERS[name] as string).split(/\s+/)].sort()
      expect(Object.getOwnPropertyNames(prototype).sort()).toEqual(known)
    },
  )
})

describe('over HTTP', () => {
  const post = (api: TestApi, path: string, body: object) => api.post(path, body).then(({ json }) => json)
  const of = (api: TestApi): Readonly<Record<string, Way>> => ({
    retryOperation: ['dead', (id, may_repeat) => post(api, `/v1/operations/${id}/retry`, { may_repeat })],
    resumeOperation: ['parked', (id, may_repeat) => post(api, `/v1/operations/${id}/resume`, { may_repeat })],
    editOperation: [
      'dead',
      async (id, may_repeat) => {
        const body = { changed_params: {}, revive: true, may_repeat }
        return (await api.send(`/v1/operations/${id}`, { method: 'PATCH', body })).json
      },
    ],
    applyBulk: [
      'dead',
      async (id, may_repeat) => {
        const seen = await api.post('/v1/operations/bulk/preview', { action: 'retry', filter: { id: [id] } })
        return post(api, '/v1/operations/bulk/apply', { token: seen.json.token, may_repeat })
      },
    ],
    advanceStep: [
      'aborted',
      (id, may_repeat) => post(api, `/v1/workflow_runs/${id}/steps/check/advance`, { result: 1, may_repeat }),
    ],
    skipStep: [
      'aborted',
      (id, may_repeat) => post(api, `/v1/workflow_runs/${id}/steps/check/skip`, { may_repeat }),
    ],
    retryWorkflowRun: [
      'aborted',
      (id, may_repeat) => post(api, `/v1/workflow_runs/${id}/retry`, { may_repeat }),
    ],
    'retryWorkflowRun from a step': [
      'done',
      (id, may_repeat) => post(api, `/v1/workflow_runs/${id}/retry`, { step: 'pay', from: true, may_repeat }),
    ],
  })
  it.each(Object.keys(of({} as TestApi)))('%s asks', async name => {
    const scene = new Scene()
    const api = await TestApi.start({ capabilities: scene.capabilities })
    end.push(() => api.close())
    await api.queue.runner().start()
    const flag = name === 'applyBulk' ? /left/ : /send \\"may_repeat\\": true/
    await check(scene, of(api)[name] as Way, api.queue, flag)
  })

  /** What runs nothing a second time. A label, a reset and a resumed queue let the rules decide again, which ask nobody twice. */
  const OTHERS = `cancelGroup cancelOperation cancelWorkflowRun discardOperation handOver showBeforeEnd
    importLabels labelUnknown markOperationDone markRead newSignInCode pauseProvider pauseQueue pauseSchedule previewBulk probeProvider probeProviders prune refuseHold releaseHold resetProvider
    resumeProvider resumeQueue resumeSchedule runSchedule setRetention snoozeNotices startGroup startWorkflow submitOperation submitOperations testSurface
    whereIsTheLedger withdrawLabel`
  it('no other route that changes anything could', async () => {
    const api = await TestApi.start()
    end.push(() => api.close())
    const changing = api.gateway.routes
      .filter(({ demand }) => !['look', 'open'].includes(demand))
      .map(({ id }) => id)
    const asking = Object.keys(of(api)).map(way => way.split(' ')[0])
    expect(changing.sort()).toEqual([...new Set(asking), ...OTHERS.split(/\s+/)].sort())
  })
})

describe('at the command line', () => {
  const WAYS: Readonly<Record<string, readonly [form: Form, argv: (id: string) => string[]]>> = {
    'ops retry': ['dead', id => [id]],
    'ops edit': ['parked', id => [id, '--params', '{}']],
    'workflow retry': ['aborted', id => [id]],
    'workflow retry --from': ['done', id => [id, 'pay', '--from']],
    'workflow advance': ['aborted', id => [id, 'check', '--result', '1']],
    'workflow skip': ['aborted', id => [id, 'check']],
  }
  it.each(Object.keys(WAYS))('%s asks a person, or needs --may-repeat', async name => {
    const [form, argv] = WAYS[name] as (typeof WAYS)[string]
    const scene = new Scene()
    const api = await TestApi.start({ capabilities: scene.capabilities })
    end.push(() => api.close())
    await api.queue.runner().start()
    const words = name.split(' ').filter(word => !word.startsWith('--'))
    const mulligan = (id: string, more: string[], ask?: (question: string) => Promise<string>) => {
      const options = { cwd: api.folder, now: Date.now, ...(ask ? { ask } : {}) }
      return runCommand([...words, ...argv(id), ...more, '--data', api.folder], options)
    }
    const go = async (id: string, isAccepted: boolean) => {
      // A person who says no, and one who says yes or gives the flag.
      if (!isAccepted) {
        const no = await mulligan(id, [], async () => 'no')
        const { code, stderr } = await mulligan(id, [])
        expect([no.code, code]).not.toContain(0)
        return stderr
      }
      const asks = name.startsWith('workflow')
      const done = asks ? await mulligan(id, [], async () => 'y') : await mulligan(id, ['--may-repeat'])
      expect(done).toMatchObject({ code: 0 })
      if (name === 'ops edit') await api.queue.retry(id, { mayRepeat: true })
      return done.stdout
    }
    await check(scene, [form, go], api.queue, /--may-repeat/)
  })

  /** What runs nothing a second time. */
  const OTHERS = `audit backtest backup classify completions config council decide demo doctor eval exec explain group hook http inbox init install
    lab ledger mcp migrate notices ops:cancel ops:discard ops:done ops:ls ops:show ops:wait ops:watch providers proxy prune queue restore run schedule serve service status submit tour unknowns
    workflow:cancel workflow:graph workflow:ls workflow:show workflow:start`
  it('no other command could', async () => {
    const commands: string[] = []
    for (const name of COMMAND_NAMES) {
      const { stdout } = await runCommand([name, '--help'])
      const parts = ['ops', 'workflow'].includes(name)
        ? /^Usage: mulligan \w+ ([\w|]+)/.exec(stdout)?.[1]?.split('|')
        : undefined
      commands.push(...(parts?.map(part => `${name}:${part}`) ?? [name]))
    }
    const asking = Object.keys(WAYS).map(way => way.split(' ').slice(0, 2).join(':'))
    expect(commands.sort()).toEqual([...new Set(asking), ...OTHERS.split(/\s+/)].sort())
  })
})

describe('over MCP', () => {
  const WAYS: Readonly<
    Record<string, readonly [form: Form, given: (id: string) => Record<string, unknown>]>
  > = {
    'operation_action retry': ['dead', id => ({ id })],
    'operation_action resume': ['parked', id => ({ id })],
    'operation_action edit': ['parked', id => ({ id, params: {} })],
    'workflow retry': ['aborted', run => ({ run })],
    'workflow advance': ['aborted', run => ({ run, step: 'check', result: 1 })],
    'workflow skip': ['aborted', run => ({ run, step: 'check' })],
  }
  it.each(Object.keys(WAYS))('%s leaves it to a person', async name => {
    const [form, given] = WAYS[name] as (typeof WAYS)[string]
    const [tool, action] = name.split(' ') as [string, string]
    for (const asPerson of [false, true]) {
      const scene = new Scene()
      const server = await TestServer.start({ capabilities: scene.capabilities, asPerson })
      end.push(() => server.close())
      const { queue, time } = server
      await queue.runner().start()
      const id = await scene.make(form, queue, work => time.until(work))
      const { isError, text } = await server.call(tool, { action, ...given(id) })
      expect(isError).toBe(!asPerson)
      if (!asPerson) expect(text).toMatch(/needs_person.*may .*taken effect.*tell the user/s)
      if (action === 'edit' && asPerson) await queue.retry(id, { mayRepeat: true })
      await time.advance(1_000)
      expect(scene.charges).toBe(asPerson ? 2 : 1)
    }
  })

  const OTHERS = `inbox operation_action:cancel operation_action:discard operations run status
    unknowns capabilities workflow:cancel workflow:list workflow:result workflow:show
    workflow:start`
  it('no other tool could', () => {
    const actionsOf = ({ name, input }: McpTool) => {
      const { shape } = input as unknown as { shape: { action?: { options?: string[] } } }
      return shape.action?.options?.map(action => `${name}:${action}`) ?? [name]
    }
    const all = toolsFor({ readOnly: false, allowLabel: true, asPerson: false }).flatMap(actionsOf)
    const asking = Object.keys(WAYS).map(way => way.replace(' ', ':'))
    expect(all.sort()).toEqual([...asking, ...OTHERS.split(/\s+/)].sort())
  })
})
