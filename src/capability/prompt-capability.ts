import { z } from 'zod'
import { OptionError, optionsFromJson } from '../agent/options.ts'
import type { PolicyLike } from '../verdict/policy.ts'
import type { Capability } from './capability.ts'
import { defineCapability } from './define.ts'
import type { AgentOption, RunAgent } from './kind/agent-capability.ts'
import { isStillOpen, openSession, SessionOpen, wentOn } from './open-session.ts'

/** The capability of prompts that `mulligan run --queue` handed over. */
export const PROMPT_CAPABILITY = 'mulligan.run'
/** The same for prompts that do no harm if they run twice. */
export const REPEATABLE_PROMPT_CAPABILITY = 'mulligan.run.repeatable'

/** Sessions that a limit stopped, to be continued when it lifts; a hook of their client submits them. */
export const CONTINUE_CAPABILITY = 'mulligan.continue'

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

const continued = z.strictObject({
  sessionId: z.string().min(1),
  /** Working folder of the session. */
  cwd: z.string(),
  open: openSession,
})

/** What is stored for a session to continue. */
export type ContinueParams = z.input<typeof continued>

/** How often to look whether a session has been closed. */
const LOOK_AGAIN_MS = 600_000

/** Waiting for a person to close a session says nothing about the provider. */
const WHILE_OPEN: PolicyLike = {
  name: 'session open',
  verdict: ({ code, message }, { now }) =>
    code === 'SESSION_OPEN'
      ? { action: 'snooze', until: now + LOOK_AGAIN_MS, mode: 'again', reason: message, rule: 'session_open' }
      : undefined,
  health: ({ code }) => (code === 'SESSION_OPEN' ? { breaker: 'none' } : undefined),
}

/** Continues the session of a client that is gone, unless a person did. */
function continueCapability(runAgent: RunAgent) {
  return defineCapability({
    name: CONTINUE_CAPABILITY,
    description:
      'A session of an agent CLI that a limit stopped, continued by "mulligan install --continue".',
    params: continued,
    retry: 'none',
    atomic: true,
    resumable: true,
    policy: WHILE_OPEN,
    run: ({ sessionId, cwd, open }, context) => {
      if (wentOn(open)) return { text: 'A person went on in this session; nothing was left to do.' }
      if (isStillOpen(open)) throw new SessionOpen(open.pid as number)
      return runAgent(
        {
          provider: context.provider,
          // Not asked: a session that is resumed is told to go on.
          prompt: '',
          cwd,
          resume: context.resume ?? { sessionId, cwd },
          worktree: false,
          options: {},
        },
        context,
      )
    },
  })
}

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
    continueCapability(runAgent),
  ] as unknown as Capability[]
}
