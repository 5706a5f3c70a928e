import { beforeEach } from 'vitest'
import { type AgentCallOptions, callAgent } from '../../src/agent/call-agent.ts'
import type { AgentSettings } from '../../src/agent/settings.ts'
import { type CallFailed, isCallFailed } from '../../src/call/call-failed.ts'
import { NodeHealth as Health } from '../../src/process/node-health.ts'
import { Stubs } from './stub.ts'

/** The executables of a test. */
export let stubs: Stubs

/** Gives each test of a file its own executables. */
export function freshStubs(): void {
  beforeEach(() => {
    stubs = new Stubs()
  })
}

/** An agent whose executable has this body. */
export function agent(
  cli: AgentSettings['cli'],
  body: string,
  more: Partial<AgentSettings> = {},
): AgentSettings {
  return { id: cli, cli, binary: stubs.make(cli, body), ...more }
}

/** Makes a call with its own health and no waiting. */
export function calling(
  agents: AgentSettings[],
  more: Partial<AgentCallOptions> = {},
): ReturnType<typeof callAgent> {
  return callAgent('fix it', {
    agents,
    health: new Health(),
    random: () => 0,
    backoff: 'fullJitter',
    ...more,
  })
}

/** The failure of a call that must fail. */
export async function failing(called: Promise<unknown>): Promise<CallFailed> {
  const error = await called.then(
    () => undefined,
    reason => reason,
  )
  if (!isCallFailed(error)) throw new Error('it did not fail as a call does', { cause: error })
  return error
}
