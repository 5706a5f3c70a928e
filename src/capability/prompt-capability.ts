import { z } from 'zod'
import { OptionError, optionsFromJson } from '../agent/options.ts'
import type { Capability } from './capability.ts'
import { defineCapability } from './define.ts'
import type { AgentOption, RunAgent } from './kind/agent-capability.ts'

/** The capability of prompts that `mulligan run --queue` handed over. */
export const PROMPT_CAPABILITY = 'mulligan.run'
/** The same for prompts that do no harm if they run twice. */
export const REPEATABLE_PROMPT_CAPABILITY = 'mulligan.run.repeatable'

const params = z.strictObject({
  prompt: z.string(),
  /** Working folder of the agent. */
  cwd: z.string(),
  /** Options of the run, under their JSON names. */
  options: z
    .record(z.string(), z.unknown())
    .superRefine((options, context) => {
      try {
        optionsFromJson(options)
      } catch (error) {
        if (!(error instanceof OptionError)) throw error
        context.addIssue({ code: 'custom', message: error.message })
      }
    })
    .default({}),
})

/** What is stored for a prompt. */
export type PromptParams = z.input<typeof params>

/** Prompts for agent CLIs that are not declared anywhere: the operation says which provider serves it. */
export function promptCapabilities(runAgent: RunAgent): Capability[] {
  const make = (name: string, retry: 'none' | 'replay') =>
    defineCapability({
      name,
      description: 'A prompt for an agent CLI, handed over by "mulligan run --queue".',
      params,
      retry,
      // A try is one run, and its driver saw what the run did.
      atomic: true,
      resumable: true,
      model: ({ options }) => (typeof options.model === 'string' ? options.model : undefined),
      run: ({ prompt, cwd, options }, context) =>
        runAgent(
          {
            provider: context.provider,
            prompt,
            cwd,
            resume: context.resume,
            worktree: options.worktree === true,
            options: options as Readonly<Record<string, AgentOption>>,
          },
          context,
        ),
    })
  return [
    make(PROMPT_CAPABILITY, 'none'),
    make(REPEATABLE_PROMPT_CAPABILITY, 'replay'),
  ] as unknown as Capability[]
}
