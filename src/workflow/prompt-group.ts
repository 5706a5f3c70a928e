import type { AgentSettings } from '../agent/settings.ts'
import {
  PROMPT_CAPABILITY,
  type PromptParams,
  REPEATABLE_PROMPT_CAPABILITY,
} from '../capability/prompt-capability.ts'
import { present } from '../failure/present.ts'
import type { Queue } from '../queue/queue.ts'
import { defineGroup } from './define-group.ts'
import type { StartedGroup } from './started-group.ts'

/** Prompts to run as a group. */
export interface PromptGroup {
  /** Name of the group. */
  group: string
  prompts: readonly string[]
  /** Folder and options of every run. */
  each: Omit<PromptParams, 'prompt'>
  agents: readonly AgentSettings[]
  /** Whether running one twice is safe. */
  repeatable: boolean
  /** Most runs at once. Default no limit. */
  maxRunning?: number | undefined
  /** Cost limit, in US dollars. Default no limit. */
  maxCostUsd?: number | undefined
  /** The session to notify. Default none. */
  session?: string | undefined
  /** Who starts it. Default the session, else `code`. */
  by?: string | undefined
  /** Idempotency key: the same key with the same prompts returns the same runs. Default none. */
  key?: string | undefined
}

/** The capability that runs the prompts of a group. */
export function capabilityOfPrompts({ repeatable }: Pick<PromptGroup, 'repeatable'>): string {
  return repeatable ? REPEATABLE_PROMPT_CAPABILITY : PROMPT_CAPABILITY
}

/** Queues prompts as one group. Throws a {@link WorkflowError} for an invalid group. */
export async function startPromptGroup(queue: Queue, asked: PromptGroup): Promise<StartedGroup> {
  const { group: name, prompts, each, agents, maxRunning, maxCostUsd, session, by, key } = asked
  const group = defineGroup({
    name,
    run: capabilityOfPrompts(asked),
    providers: agents.map(({ id }) => id),
    ...present({ maxRunning, maxCostUsd }),
  })
  const inputs = prompts.map(prompt => ({ prompt, ...each }))
  return queue.start(group, inputs, present({ session, by, key }))
}
