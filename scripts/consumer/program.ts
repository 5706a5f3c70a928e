// A user's program, which scripts/pack-check.ts compiles against the packed package and never runs. Its exports have
// inferred types, so each of those types must have a public name.
import * as root from 'mulligan'
import * as agent from 'mulligan/agent'
import { bullmqProcessor } from 'mulligan/bullmq'
import { call } from 'mulligan/call'
import { checkParams, defineCapability } from 'mulligan/capability'
import * as config from 'mulligan/config'
import { dbosWorkflow } from 'mulligan/dbos'
import * as engine from 'mulligan/engine'
import * as failure from 'mulligan/failure'
import { graphileTask, pausedFlags } from 'mulligan/graphile-worker'
import { runInngest, toInngestError } from 'mulligan/inngest'
import * as lab from 'mulligan/lab'
import * as ledger from 'mulligan/ledger'
import * as opencode from 'mulligan/opencode'
import { pgBossHandler } from 'mulligan/pg-boss'
import * as provider from 'mulligan/provider'
import { isHandedOver, openQueue } from 'mulligan/queue'
import { restateHandler, toRestateError } from 'mulligan/restate'
import { temporalActivity, toApplicationFailure } from 'mulligan/temporal'
import * as testing from 'mulligan/testing'
import * as verdict from 'mulligan/verdict'
import { defineWorker, performDurably, toOutcome } from 'mulligan/worker'
import { runWorkflowStep, toWorkflowError } from 'mulligan/workflow-sdk'
import { z } from 'zod'

export const answered = call(({ provider }) => provider.length, { pool: ['a', 'b'] })
export const capability = defineCapability({
  name: 'a',
  params: z.object({ n: z.number() }),
  retry: 'replay',
  run: ({ n }) => n,
})
export const worker = defineWorker({ run: ({ prompt }: { prompt: string }) => prompt.length })
export const performed = worker.perform({ engine: 'e', queue: 'q', jobId: '1', job: {}, data: {} })
export const processor = bullmqProcessor(worker)
export const task = graphileTask(worker)
export const flags = pausedFlags(worker)
export const adapters = {
  dbosWorkflow,
  pgBossHandler,
  restateHandler,
  runInngest,
  runWorkflowStep,
  temporalActivity,
}
export const errors = {
  toApplicationFailure,
  toInngestError,
  toRestateError,
  toWorkflowError,
  toOutcome,
  performDurably,
}
export const queue = openQueue({ data: '/nowhere', capabilities: [capability] })
export const submitted = queue.then(q => q.submit(capability, { n: 1 }))
export const ran = queue.then(q => q.run(capability, { n: 1 }))
export const result = queue.then(async q => q.result((await q.submit(capability, { n: 1 })).id))
export const waited = queue.then(q => q.wait('op_1'))
export const status = queue.then(q => q.status())
export const runner = queue.then(q => q.runner())
export const preview = queue.then(q => q.preview('cancel', {}))
export const pruned = queue.then(q => q.prune())
export const own = queue.then(q => ({
  ledger: q.ledger,
  engine: q.engine,
  health: q.health,
  registry: q.registry,
}))
export const checked = checkParams(capability, {})
export const handed = isHandedOver
export const called = (...args: Parameters<typeof agent.callAgent>) => agent.callAgent(...args)
export const outcome = (...args: Parameters<typeof agent.runAgent>) => agent.runAgent(...args)
export const source = new config.ConfigSource({ env: {}, cwd: '/' })
export const loaded = source.current
export const failed = failure.classify('x')
export const decided = failed && root.decide(failed)
export const marked = failed && verdict.healthOf(failed)
export const started = lab.startLab()
export const opened = ledger.openLedger({ file: 'x' })
export const listed = opened.then(l => l.list({}))
export const attempts = opened.then(l => l.attempts('x'))
export const timeline = opened.then(l => l.timeline('x'))
export const claimed = opened.then(l =>
  new engine.EmbeddedEngine({ ledger: l }).claim({ runner: 'a', capabilities: [], limit: 1 }),
)
export const health = new provider.Health()
export const healthStatus = health.status()
export const chosen = health.pool('x').choose({})
export const probed = health.probeAll()
export const held = root.council([{ name: 'a', ask: () => 1 }], { prompt: 'x' })
export const member = opencode.opencodeMember
export const tested = testing.testQueue()
export const scripted = testing.scriptedCapability({ name: 'a' })
