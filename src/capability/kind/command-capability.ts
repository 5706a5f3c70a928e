import { present } from '../../failure/present.ts'
import type { RetryPolicy } from '../../verdict/retry-policy.ts'
import type { Capability } from '../capability.ts'
import { WorkFailed } from '../work-failed.ts'
import { type CommandSpec, commandOf } from './command.ts'
import { type DeclaredSettings, declare, type Params } from './declared.ts'

/** The declaration of a program. */
export interface CommandDefinition extends DeclaredSettings, CommandSpec {
  /** Whether it may run a second time. Only its author knows, so there is no default. */
  retry: RetryPolicy
  /** How its stdout is parsed, which becomes the result. Default: text. */
  output?: 'text' | 'json'
  /** How many bytes of stdout to keep. Default 10 MiB. */
  outputLimitBytes?: number
}

/**
 * A program that can be run again. Its result is what it prints. Any exit code but 0 fails it, with the whole process result. It
 * finds the idempotency key and the run number in `MULLIGAN_IDEMPOTENCY_KEY` and `MULLIGAN_RUN`.
 */
export function commandCapability(definition: CommandDefinition): Capability<Params> {
  const { argv, env, inheritEnv, cwd, stdin, output = 'text', outputLimitBytes, ...settings } = definition
  const spec: CommandSpec = { argv, ...present({ env, inheritEnv, cwd, stdin }) }
  return declare('command', settings, facts => {
    const command = commandOf(spec, { ...facts, outputLimitBytes })
    return {
      variables: command.variables,
      problems: command.problems,
      run: async (params, context) => {
        const result = await command.start(params, context)
        if (result.exitCode !== 0) throw new WorkFailed(`${argv[0]} failed`, result)
        context.observed(result)
        return output === 'json'
          ? parsed(result.stdout, argv[0] as string)
          : result.stdout.replace(/\r?\n$/, '')
      },
    }
  })
}

function parsed(stdout: string, program: string): unknown {
  try {
    return JSON.parse(stdout)
  } catch (error) {
    throw new Error(`${program} succeeded, but its output is not JSON: ${(error as Error).message}`)
  }
}
