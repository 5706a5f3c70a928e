import type { GroupConfig } from '../../config/schema/group.ts'
import { present } from '../../failure/present.ts'
import { isWorkflowError } from '../../workflow/error.ts'
import { capabilityOfPrompts, type PromptGroup, startPromptGroup } from '../../workflow/prompt-group.ts'
import { EXIT } from '../exit-code.ts'
import { UsageError } from '../flag/arguments.ts'
import { printJson } from '../print/print-json.ts'
import type { QueueRuntime } from '../runtime/queue-runtime.ts'
import type { Terminal } from '../terminal.ts'
import { printResults } from './group-words.ts'

/** Prompts to run as a group, and whether their end is waited for. */
interface AskedGroup extends PromptGroup {
  /** Wait until all have ended, and print their answers. Default false. */
  wait?: boolean | undefined
}

/** Queues prompts as one group, and prints the id, or with `wait` the answers. */
export async function runGroup(
  asked: AskedGroup,
  runtime: QueueRuntime,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  const { group: name, prompts } = asked
  const { queue } = runtime
  const started = await startPromptGroup(queue, {
    ...asked,
    ...limitsOf(runtime, name),
    ...given(asked),
  }).catch(refused)
  if (!(await queue.hasRunner(capabilityOfPrompts(asked))))
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
  return present({ maxRunning, maxCostUsd })
}

function refused(error: unknown): never {
  throw isWorkflowError(error) ? new UsageError(error.message) : error
}
