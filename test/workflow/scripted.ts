import { afterEach, beforeEach } from 'vitest'
import { z } from 'zod'
import { defineCapability } from '../../src/capability/define.ts'
import type { OpenedQueue } from '../../src/queue/open.ts'
import { FakeTime } from '../../src/testing/core/fake-time.ts'
import { testQueue } from '../../src/testing/test-queue.ts'
import { ALL_WORKFLOWS } from '../../src/workflow/workflow-service.ts'
import { Workflows } from '../../src/workflow/workflows.ts'
import { closeChecked } from '../work.ts'

/** The steps that ran, in order. */
export const ran: string[] = []
/** What the next runs of a step do: a value, or a failure. Without it, a step returns its name. */
export const script = new Map<string, ((signal: AbortSignal) => unknown)[]>()

export const refused = () => {
  throw Object.assign(new Error('400 invalid request'), { status: 400 })
}
export const overloaded = () => {
  throw Object.assign(new Error('503 overloaded'), { status: 503 })
}

/** Work of steps that do what the script says. */
export const work = defineCapability({
  name: 'work',
  params: z.object({ step: z.string() }),
  retry: 'replay',
  run: ({ step }, { signal }) => {
    ran.push(step)
    const next = script.get(step)?.shift()
    return next ? (next(signal) as never) : step
  },
})

export let time: FakeTime
export let queue: OpenedQueue
export let workflows: Workflows

/** Gives each test of the file its own queue and an empty script. */
export function eachTest(): void {
  beforeEach(async () => {
    time = new FakeTime()
    ran.length = 0
    script.clear()
    ;({ queue } = await testQueue({ capabilities: [work], time, workflows: [ALL_WORKFLOWS] }))
    workflows = new Workflows(queue)
  })
  afterEach(() => closeChecked(queue))
}
