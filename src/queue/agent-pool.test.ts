import { describe, expect, it } from 'vitest'
import { answer, line, refuse, work } from '../../test/agent/bodies.ts'
import { Stubs } from '../../test/agent/stub.ts'
import { agentsFrom } from '../agent/agents-from.ts'
import type { AgentSettings } from '../agent/settings.ts'
import { agentCapability } from '../capability/kind/agent-capability.ts'
import { agentRunner } from '../capability/run-agent.ts'
import { buildSignatureMap } from '../failure/signature-map.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { testQueue } from '../testing/test-queue.ts'

/** Runs a prompt that must not run twice, on a pool of agents with these bodies. */
async function asked(bodies: Partial<Record<AgentSettings['cli'], string>>) {
  const stubs = new Stubs()
  const time = new FakeTime()
  const providers = Object.entries(bodies).map(([id, body]) => ({
    id,
    cli: id,
    binary: stubs.make(id, body),
  }))
  const signatures = buildSignatureMap([{ id: 'codex', error_signatures: { throttle: ['on holiday'] } }])
  const runAgent = agentRunner({
    agents: agentsFrom({ providers }),
    cwd: stubs.folder,
    classify: { signatures },
  })
  const fix = agentCapability({ name: 'fix', prompt: 'fix it', pool: Object.keys(bodies), runAgent })
  const health = new Health({ time })
  const { queue } = await testQueue({ time, health, capabilities: [fix], env: { PATH: process.env.PATH } })
  await using _closed = queue
  const { id } = await queue.submit('fix', {})
  await queue.runner().start()
  let operation = await queue.ledger.get(id)
  while (operation?.state === 'running' || operation?.state === 'scheduled') {
    // The clock is fake; the agents run in real time.
    await time.advance(100)
    await new Promise(resolve => setTimeout(resolve, 5))
    operation = await queue.ledger.get(id)
  }
  return { operation, starts: (name: string) => stubs.starts(name).length, health: await health.status() }
}

describe('an operation that must not run twice', () => {
  it('goes to the next agent after a limit that only a signature recognises, if the first did nothing', async () => {
    const limited = `${line({ type: 'turn.failed', error: { message: 'the model is on holiday' } })}; end(1)`
    const { operation, starts } = await asked({ codex: limited, claude: answer() })
    expect(operation).toMatchObject({ state: 'succeeded', result: { provider: 'claude' } })
    expect([starts('codex'), starts('claude')]).toEqual([1, 1])
  })

  it('stays with the agent that began work', async () => {
    const cut = `${work}; ${refuse({ api_error_status: 401, result: 'Invalid API key' })}`
    const { operation, starts } = await asked({ claude: cut, codex: 'end(0)' })
    expect(operation?.state).not.toBe('succeeded')
    expect([starts('claude'), starts('codex')]).toEqual([1, 0])
  })

  it('ends after an unrecognised failure of a command, which counts against its health', async () => {
    const { operation, health } = await asked({ command: `warn('quux'); end(3)` })
    expect(operation).toMatchObject({
      state: 'dead',
      deadAs: 'unverifiable',
      failure: { class: 'unknown', kind: 'unknown' },
    })
    expect(health).toMatchObject([{ id: 'command', breaker: { failures: 0.5 } }])
  })
})
