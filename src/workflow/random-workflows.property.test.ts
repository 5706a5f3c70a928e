import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { defineCapability } from '../capability/define.ts'
import type { SqliteLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import { ON_FAIL, type OnFail } from '../plan/plan.ts'
import type { OpenedQueue } from '../queue/open.ts'
import type { Runner } from '../queue/runner.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import { testQueue } from '../testing/test-queue.ts'
import { defineWorkflow } from './define.ts'
import { WorkflowError } from './error.ts'
import { onFailOf } from './progress.ts'
import { runInWords } from './run-words.ts'
import type { StepState } from './step-state.ts'
import type { RunView } from './view.ts'
import { ALL_WORKFLOWS } from './workflow-service.ts'
import { Workflows } from './workflows.ts'

/** What the work of a step does the first time it runs, or every time. */
const OUTCOMES = [
  'ok',
  'retry',
  'exhausted',
  'refused',
  'label',
  'throttled',
  'runner_stops',
  'killed',
] as const

interface Step {
  outcome: (typeof OUTCOMES)[number]
  /** Which of the earlier steps, by position modulo their number. */
  after: number[]
  onFail: OnFail
  optional: boolean
  hasProvider: boolean
}

const randomSteps = fc.array(
  fc.record<Step>({
    outcome: fc.constantFrom('ok', 'ok', 'ok', ...OUTCOMES),
    after: fc.array(fc.nat(11), { maxLength: 3 }),
    onFail: fc.constantFrom(...ON_FAIL),
    optional: fc.boolean(),
    hasProvider: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
)

const VERBS = ['retry', 'retry_step', 'retry_from', 'skip', 'advance', 'cancel', 'revive'] as const

/** An action on the run. */
interface Act {
  verb: (typeof VERBS)[number]
  /** The step, by position modulo their number. */
  place: number
  /** How many checks after the previous action; 0 means at the same time. */
  later: number
}

const randomActs = fc.array(
  fc.record<Act>({ verb: fc.constantFrom(...VERBS), place: fc.nat(11), later: fc.nat(3) }),
  { minLength: 1, maxLength: 8 },
)

/** Without providers if a process is killed: dying while probing a blocked provider is tested elsewhere. */
const withoutKilledProbes = (given: readonly Step[]) =>
  given.some(({ outcome }) => outcome === 'killed')
    ? given.map(step => ({ ...step, hasProvider: false }))
    : given

const never = () => new Promise<never>(() => {})
const PASSED_ON = ['read', 'onChange', 'check', 'close']

/** The ledger of a process that can be killed: after that, it neither writes nor answers. */
function killable(ledger: SqliteLedger): { ledger: SqliteLedger; kill: () => void } {
  let isDead = false
  const proxy = new Proxy(ledger, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      const method = value.bind(target) as (...args: unknown[]) => unknown
      return PASSED_ON.includes(String(name))
        ? method
        : (...args: unknown[]) => (isDead ? never() : method(...args))
    },
  })
  return {
    ledger: proxy,
    kill: () => {
      isDead = true
    },
  }
}

/** One run of a random workflow, with everything that happens to it. */
class Scenario {
  readonly time: FakeTime
  readonly steps: readonly (Step & { before: number[] })[]
  readonly began: number[]
  readonly faults: string[] = []
  readonly #store: SqliteLedger
  #kill = () => {}
  #queue!: OpenedQueue
  /** A process that runs nothing and is never killed. */
  #onlooker!: OpenedQueue
  #isToReopen = false
  #runner!: Runner
  #isToRun = false
  #id = ''
  readonly #acts: Act[]
  /** Steps that ran again after they had ended: their dependents may have started earlier. */
  readonly #again = new Set<number>()

  constructor(store: SqliteLedger, time: FakeTime, given: readonly Step[], acts: readonly Act[] = []) {
    this.#store = store
    this.time = time
    this.#acts = acts.map(act => ({ ...act }))
    this.steps = given.map((step, place) => ({
      ...step,
      before: place === 0 ? [] : [...new Set(step.after.map(each => each % place))],
    }))
    this.began = given.map(() => 0)
  }

  async run(): Promise<RunView> {
    ;({ queue: this.#onlooker } = await testQueue({ ledger: this.#store, time: this.time }))
    await this.#open()
    const workflow = defineWorkflow({
      name: 'random',
      steps: this.steps.map(({ before, onFail, optional, hasProvider }, place) => ({
        id: `s${place}`,
        run: hasProvider ? 'served' : 'plain',
        params: { place },
        after: before.map(each => `s${each}`),
        onFail,
        optional,
      })),
    })
    this.#id = (await workflow.start(this.#onlooker, {})).id
    for (let round = 0; round < 400; round++) {
      await this.time.advance(5_000)
      if (this.#isToReopen) await this.#open()
      else if (this.#isToRun) this.#startRunner()
      const view = await this.#look()
      const isOver = view.run.state !== 'running' && view.run.steps.every(({ state }) => state !== 'open')
      if (isOver && this.#acts.length === 0) return view
      await this.#label()
      await this.#act()
    }
    return this.#look()
  }

  async #act(): Promise<void> {
    for (let [act] = this.#acts; act && act.later-- <= 0; [act] = this.#acts) {
      this.#acts.shift()
      const { steps } = await this.#look()
      const place = act.place % this.steps.length
      const step = `s${place}`
      const workflows = new Workflows(this.#onlooker)
      const { state, record } = steps[place] as RunView['steps'][0]
      // Reviving the operation of a step that has its result would run it in vain.
      const operation = state === 'failed' ? record?.operation : undefined
      const isEnd = (each: StepState | undefined) => each === 'failed' || each === 'skipped'
      for (const [each, { state }] of steps.entries())
        if (isEnd(state) && (act.verb === 'retry' || (act.verb !== 'skip' && each === place)))
          this.#again.add(each)
      const mayRepeat = true
      const verbs: Record<Act['verb'], () => unknown> = {
        retry: () => workflows.retry(this.#id, { mayRepeat }),
        retry_step: () => workflows.retry(this.#id, { step, mayRepeat }),
        retry_from: () => workflows.retry(this.#id, { step, from: true, mayRepeat }),
        skip: () => workflows.skip(this.#id, step, { mayRepeat }),
        advance: () => workflows.advance(this.#id, step, { place }, { mayRepeat }),
        cancel: () => workflows.cancel(this.#id),
        revive: () => operation && this.#onlooker.retry(operation, { mayRepeat }),
      }
      try {
        await verbs[act.verb]()
      } catch (error) {
        // Many actions are refused in the current state of the run.
        if (!(error instanceof WorkflowError)) this.faults.push(`${act.verb} ${step}: ${error}`)
      }
      await this.#look()
    }
  }

  async close(): Promise<void> {
    const findings = await this.#store.check()
    await this.#onlooker.health.dispose()
    await this.#queue.close()
    expect(findings).toEqual([])
  }

  async #open(): Promise<void> {
    this.#isToReopen = false
    const { ledger, kill } = killable(this.#store)
    this.#kill = kill
    const capability = (name: string, provider: object) =>
      defineCapability({
        name,
        params: z.object({ place: z.number() }),
        retry: 'replay',
        maxRetries: 2,
        run: ({ place }, { signal, attempt }) => this.#work(place, signal, attempt === 1),
        ...provider,
      })
    ;({ queue: this.#queue } = await testQueue({
      capabilities: [capability('plain', {}), capability('served', { provider: 'vendor' })],
      ledger,
      time: this.time,
      workflows: [ALL_WORKFLOWS],
    }))
    this.#startRunner()
  }

  #startRunner(): void {
    this.#isToRun = false
    this.#runner = this.#queue.runner({ concurrency: 8 })
    // A process killed while it starts never settles its start.
    void this.#runner.start()
  }

  async #work(place: number, signal: AbortSignal, isNew: boolean): Promise<unknown> {
    const { outcome, before } = this.steps[place] as Step & { before: number[] }
    const time = (this.began[place] ?? 0) + 1
    this.began[place] = time
    const { steps = [] } = (await this.#store.workflowRun(this.#id)) ?? {}
    const recordOf = (each: number) => steps.find(({ step }) => step === each)
    const stateOf = (each: number) => recordOf(each)?.state
    // The dependencies of an operation may have been run again since it started.
    for (const each of isNew ? before.filter(one => !this.#again.has(one)) : []) {
      if (!['succeeded', 'failed', 'skipped'].includes(stateOf(each) ?? ''))
        this.faults.push(`s${place} before s${each}`)
      const isKept =
        stateOf(each) === 'failed'
          ? onFailOf(this.steps[each] as Step) !== 'continue'
          : stateOf(each) === 'skipped' && recordOf(each)?.cause !== undefined
      if (isKept) this.faults.push(`s${place} although s${each} is ${stateOf(each)}`)
    }
    if (stateOf(place) === 'succeeded') this.faults.push(`s${place} again, though it succeeded`)
    const fails = (status: number, message: string, headers = {}) => {
      throw Object.assign(new Error(message), { status, headers })
    }
    if (outcome === 'refused') return fails(400, '400 invalid request')
    if (outcome === 'exhausted') return fails(503, '503 overloaded')
    if (time > 1) return { place }
    if (outcome === 'retry') return fails(503, '503 overloaded')
    if (outcome === 'throttled') return fails(429, '429 rate limit', { 'retry-after': '60' })
    if (outcome === 'label') throw new Error('the flux is out of phase')
    if (outcome === 'runner_stops') {
      void this.#runner.stop()
      this.#isToRun = true
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    if (outcome === 'killed') {
      this.#kill()
      this.#isToReopen = true
      return never()
    }
    return { place }
  }

  /** A person labels the unknown failure. */
  async #label(): Promise<void> {
    const { items } = await this.#store.list({ parkedFor: 'label' })
    const fingerprint = items[0]?.failure?.fingerprint
    if (fingerprint === undefined) return
    if ((await this.#store.labels({ fingerprint })).length > 0) return
    await this.#store.transaction(writes => writes.addLabel({ fingerprint, class: 'transient', who: 'ann' }))
  }

  /** Checks the run at any moment: the view matches the records, and every waiting step says what it waits for. */
  async #look(): Promise<RunView> {
    const view = await new Workflows(this.#onlooker).show(this.#id)
    const text = runInWords(view, this.time.now(), at => new Date(at).toISOString())
    for (const { step, state, record, wait } of view.steps) {
      const line = text.find(each =>
        each
          .replace(/[│├└─ ]+/g, ' ')
          .trimStart()
          .startsWith(`${step.id} `),
      )
      if (!line?.includes(` ${state.replace('_', ' ')}`))
        this.faults.push(`${step.id} is ${state}, and the text says ${line}`)
      if (wait && !line?.includes(wait.what)) this.faults.push(`${step.id} waits for ${wait.what}: ${line}`)
      if (record && !['open', 'asked'].includes(record.state) && record.state !== state)
        this.faults.push(`${step.id} is recorded as ${record.state}, and shown as ${state}`)
      if (['retry_pending', 'waiting', 'pending'].includes(state) && !wait)
        this.faults.push(`${step.id} is ${state}, for no reason`)
    }
    if (view.status === 'blocked' && !text[0]?.includes('waits for '))
      this.faults.push(`blocked by nothing: ${text[0]}`)
    return view
  }
}

/** What a failure means for the rest; an optional step never aborts. */
const meantBy = ({ onFail, optional }: Pick<Step, 'onFail' | 'optional'>) =>
  optional && onFail !== 'skip_dependents' ? 'continue' : onFail

/** How each step must end, by the rules alone; undefined if either end is right. */
function expectedOf(steps: Scenario['steps']): { states: (StepState | undefined)[]; isAborted: boolean } {
  const states: (StepState | undefined)[] = []
  const causes: boolean[] = []
  let isAborted = false
  for (const [place, { outcome, before, optional, onFail }] of steps.entries()) {
    const isKept = before.some(
      each =>
        causes[each] || (states[each] === 'failed' && meantBy(steps[each] as Step) === 'skip_dependents'),
    )
    causes[place] = isKept
    if (isKept) states[place] = 'skipped'
    else if (outcome === 'refused' || outcome === 'exhausted') {
      states[place] = 'failed'
      if (meantBy({ onFail, optional }) === 'abort') isAborted = true
    }
    // An optional step does not wait for a label; but the label may already exist by then.
    else states[place] = outcome === 'label' && optional ? undefined : 'succeeded'
  }
  return { states, isAborted }
}

it('every run of a random workflow ends as its rules say, whatever happens on the way', async () => {
  await fc.assert(
    fc.asyncProperty(randomSteps, async given => {
      const time = new FakeTime()
      const scenario = new Scenario(await memoryLedger({ time }), time, given)
      const view = await scenario.run()
      expect(scenario.faults).toEqual([])
      expect(view.run.state).not.toBe('running')
      const { states, isAborted } = expectedOf(scenario.steps)
      const ended = view.steps.map(({ state }) => state)
      if (!isAborted) {
        expect(ended.map((state, place) => states[place] && state)).toEqual(states)
        const hasFailed = scenario.steps.some(
          ({ optional }, place) => states[place] === 'failed' && !optional,
        )
        expect(view.run.state).toBe(hasFailed ? 'failed' : 'succeeded')
      } else {
        expect(view.run.state).toBe('failed')
        for (const [place, state] of ended.entries()) {
          // After an abort, open steps are cancelled and others never start; nothing else differs.
          if (state === 'succeeded') expect(states[place] ?? 'succeeded').toBe('succeeded')
          else expect(['failed', 'skipped']).toContain(state)
        }
      }
      for (const [place, { outcome }] of scenario.steps.entries())
        if (
          outcome === 'ok' &&
          !given.some(each => each.outcome === 'killed' || each.outcome === 'runner_stops')
        )
          expect(scenario.began[place]).toBeLessThanOrEqual(1)
      await scenario.close()
    }),
    { numRuns: Number(process.env.FC_RUNS ?? 12) },
  )
}, 600_000)

it('a random workflow run ends whatever actions are taken, and no step runs that a failure prevents', async () => {
  await fc.assert(
    fc.asyncProperty(randomSteps, randomActs, async (given, acts) => {
      const time = new FakeTime()
      const scenario = new Scenario(await memoryLedger({ time }), time, withoutKilledProbes(given), acts)
      const { run, steps } = await scenario.run()
      expect(scenario.faults).toEqual([])
      expect(run.state).not.toBe('running')
      if (run.state === 'succeeded')
        expect(steps.filter(({ state, step }) => state === 'failed' && !step.optional)).toEqual([])
      await scenario.close()
    }),
    { numRuns: Number(process.env.FC_RUNS ?? 12) },
  )
}, 600_000)
