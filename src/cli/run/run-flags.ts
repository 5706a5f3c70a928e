import { type AgentOptions, OptionError, optionsFromJson } from '../../agent/options.ts'
import { present } from '../../failure/present.ts'
import { UsageError } from '../flag/arguments.ts'
import { choiceFlag, countFlag, positiveDurationFlag } from '../flag/flags.ts'
import type { Terminal } from '../terminal.ts'

// The flags and arguments of `mulligan run`, as values.

/** Flags about a group need --group, and a group needs --queue. */
export function checkGroupFlags(values: { [name: string]: unknown }): void {
  const stray = ['max-running', 'group-max-cost', 'key', 'wait'].find(name => values[name] !== undefined)
  if (values.group === undefined) {
    if (stray !== undefined) throw new UsageError(`--${stray} needs --group`)
    return
  }
  if (values.queue !== true) throw new UsageError('--group needs --queue: its runs wait for each other')
  const excluded = ['resume', 'budget', 'dry-run'].find(name => values[name] !== undefined)
  if (excluded !== undefined) throw new UsageError(`--${excluded} does not go with --group`)
}

export function groupLimitsOf(values: {
  'max-running'?: string | undefined
  'group-max-cost'?: string | undefined
}) {
  const cost = values['group-max-cost']
  return {
    maxRunning: countFlag('--max-running', values['max-running'], 1),
    maxCostUsd: cost === undefined ? undefined : amount('--group-max-cost', cost),
  }
}

/** Each argument is a prompt; with -, each line of stdin. */
export async function promptsOf(
  positionals: readonly string[],
  terminal: Terminal,
): Promise<readonly string[]> {
  const isStdin = positionals.length === 1 && positionals[0] === '-'
  const given = isStdin ? (await terminal.readStdin()).split('\n') : positionals
  const prompts = given.map(prompt => prompt.trim()).filter(prompt => prompt !== '')
  if (prompts.length === 0)
    throw new UsageError('no PROMPT; give them after --, or - for one per line of stdin')
  return prompts
}

/** Limits over all tries of a prompt. */
export interface Limits {
  budgetMs?: number
  maxCostUsd?: number
  maxRetries?: number
}

export function limitsOf(values: { [K in 'budget' | 'max-cost' | 'retries']?: string | undefined }): Limits {
  const budgetMs = positiveDurationFlag('--budget', values.budget)
  const maxCostUsd = values['max-cost'] === undefined ? undefined : amount('--max-cost', values['max-cost'])
  const maxRetries = countFlag('--retries', values.retries)
  return present({ budgetMs, maxCostUsd, maxRetries })
}

/** Whether the prompt may run a second time: --retry, or its old name. */
export function retryOf(
  values: { retry?: string | undefined; repeatable?: boolean | undefined },
  terminal: Pick<Terminal, 'stderr'>,
): 'none' | 'replay' | undefined {
  if (values.repeatable !== true) return choiceFlag('--retry', values.retry, ['none', 'replay'])
  if (values.retry !== undefined)
    throw new UsageError('--repeatable is the old name of --retry replay: give one')
  terminal.stderr('mulligan run: --repeatable is now --retry replay\n')
  return 'replay'
}

/** The prompt: the arguments, or stdin if they are -. */
export async function promptOf(positionals: readonly string[], terminal: Terminal): Promise<string> {
  const prompt =
    positionals.length === 1 && positionals[0] === '-' ? await terminal.readStdin() : positionals.join(' ')
  if (prompt.trim() === '') throw new UsageError('no PROMPT; give it after --, or - to read it from stdin')
  return prompt
}

interface OptionFlags {
  model?: string | undefined
  'max-turns'?: string | undefined
  worktree?: boolean | undefined
  resume?: string | undefined
  option?: string[] | undefined
}

/** The agent options from the flags, typed and as JSON. */
export function optionsOf(values: OptionFlags): { options: AgentOptions; json: Record<string, unknown> } {
  const json: Record<string, unknown> = {}
  for (const entry of values.option ?? []) {
    const [, key, text] = /^(\w+)=(.*)$/s.exec(entry) ?? []
    if (key === undefined || text === undefined)
      throw new UsageError(`--option takes NAME=VALUE, not ${JSON.stringify(entry)}`)
    json[key] = key === 'timeout' ? positiveDurationFlag('--option timeout', text) : parsed(key, text)
  }
  if (values.model !== undefined) json.model = values.model
  if (values['max-turns'] !== undefined) json.max_turns = countFlag('--max-turns', values['max-turns'], 1)
  if (values.worktree) json.worktree = true
  if (values.resume !== undefined) json.resume = values.resume
  try {
    return { options: optionsFromJson(json), json }
  } catch (error) {
    if (error instanceof OptionError) throw new UsageError(error.message)
    throw error
  }
}

/** Parses JSON, unless it is a schema; returns other text unchanged. */
function parsed(key: string, text: string): unknown {
  if (key === 'json_schema') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function amount(flag: string, text: string): number {
  const usd = Number(text)
  if (/^\d+(?:\.\d+)?$/.test(text) && usd > 0) return usd
  throw new UsageError(`${flag} takes US dollars such as 2.00, not ${JSON.stringify(text)}`)
}
