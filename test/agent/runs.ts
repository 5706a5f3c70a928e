import type { AgentOutcome } from '../../src/agent/outcome.ts'
import type { AgentRequest } from '../../src/agent/request.ts'
import { type RunAgentOptions, runAgent } from '../../src/agent/run-agent.ts'
import type { AgentSettings } from '../../src/agent/settings.ts'
import { Stubs } from './stub.ts'

/** The executables of a test file. */
export const stubs = new Stubs()
let count = 0

/** What a run has besides its executable. */
export interface Given {
  cli?: AgentSettings['cli']
  settings?: Partial<AgentSettings>
  request?: Partial<AgentRequest>
  run?: RunAgentOptions
}

/** Runs an agent whose executable has this body. */
export function running(
  body: string,
  { cli = 'claude', settings, request, run }: Given = {},
): Promise<AgentOutcome> {
  const binary = stubs.make(`${cli}-${++count}`, body)
  return runAgent({ id: `my-${cli}`, cli, binary, ...settings }, { prompt: 'fix it', ...request }, run)
}

/** How the last executable was started. */
export const lastStart = (cli = 'claude') => stubs.starts(`${cli}-${count}`).at(-1)
