import type { AgentSettings } from '../agent/settings.ts'
import {
  PROMPT_CAPABILITY,
  type PromptParams,
  REPEATABLE_PROMPT_CAPABILITY,
} from '../capability/prompt-capability.ts'
import type { GroupConfig } from '../config/schema/group.ts'
import { defineGroup } from '../workflow/define-group.ts'
import { isWorkflowError } from '../workflow/error.ts'
import { UsageError } from './arguments.ts'
import { EXIT } from './exit-code.ts'
import { printResults } from './group-words.ts'
import type { Terminal } from './main.ts'
import { printJson } from './print-json.ts'
import type { QueueRuntime } from './queue-runtime.ts'

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
  /** Most runs at once. Default that of `[[group]]`, else no limit. */
  maxRunning?: number | undefined
  /** Cost limit, in US dollars. Default that of `[[group]]`, else no limit. */
  maxCostUsd?: number | undefined
  /** The session to notify. Default none. */
  session?: string | undefined
  /** Idempotency key: the same key and prompts are the same runs. Default none. */
  key?: string | undefined
  /** Wait until all have ended, and print their answers. Default false. */
  wait?: boolean | undefined
}

/** Queues prompts as one group, and prints the id, or with `wait` the answers. */
export async function runGroup(
  asked: PromptGroup,
  runtime: QueueRuntime,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  const { group: name, prompts, each, agents, repeatable, session, key } = asked
  const { maxRunning, maxCostUsd } = { ...limitsOf(runtime, name), ...given(asked) }
  const { queue } = runtime
  const capability = repeatable ? REPEATABLE_PROMPT_CAPABILITY : PROMPT_CAPABILITY
  const group = defineOrRefuse({
    name,
    run: capability,
    providers: agents.map(({ id }) => id),
    ...(maxRunning === undefined ? {} : { maxRunning }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
  })
  const inputs = prompts.map(prompt => ({ prompt, ...each }))
  const started = await queue
    .start(group, inputs, {
      ...(session === undefined ? {} : { session }),
      ...(key === undefined ? {} : { key }),
    })
    .catch(refused)
  if (!(await queue.hasRunner(capability)))
    terminal.stderr('mulligan: no runner is alive, so they wait; start one: mulligan serve\n')
  if (asked.wait) {
    const results = await started.wait({ signal: terminal.signal }).catch((error: unknown) => {
      if (!terminal.signal.aborted) throw error
      terminal.stderr(`mulligan run: stopped waiting; group ${name} continues\n`)
      return undefined
    })
    return results === undefined ? EXIT.aborted : printResults(results, json, terminal)
  }
  if (json)
    printJson(terminal, {
      group: name,
      workflow_run: started.id,
      created: started.created,
      runs: prompts.length,
    })
  else {
    terminal.stdout(`${started.id}\n`)
    const count = `${prompts.length} run${prompts.length === 1 ? '' : 's'}`
    terminal.stderr(
      started.created
        ? `${count} in group ${name}; see "mulligan group show ${name}"\n`
        : `${count} in group ${name}: already started with this key\n`,
    )
  }
  return EXIT.done
}

/** The `[[group]]` of a name, if the config has one. */
export function groupConfig(runtime: Pick<QueueRuntime, 'loaded'>, name: string): GroupConfig | undefined {
  return runtime.loaded.config.groups.find(group => group.name === name)
}

function limitsOf(runtime: QueueRuntime, name: string): Pick<PromptGroup, 'maxRunning' | 'maxCostUsd'> {
  const { maxRunning, maxCostUsd } = groupConfig(runtime, name) ?? {}
  return { maxRunning, maxCostUsd }
}

function given({ maxRunning, maxCostUsd }: PromptGroup): Pick<PromptGroup, 'maxRunning' | 'maxCostUsd'> {
  return {
    ...(maxRunning === undefined ? {} : { maxRunning }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
  }
}

function defineOrRefuse(definition: Parameters<typeof defineGroup>[0]): ReturnType<typeof defineGroup> {
  try {
    return defineGroup(definition)
  } catch (error) {
    return refused(error)
  }
}

function refused(error: unknown): never {
  throw isWorkflowError(error) ? new UsageError(error.message) : error
}
