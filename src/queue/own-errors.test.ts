import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { agentsFrom, UnknownAgent } from '../agent/agents-from.ts'
import { OptionError } from '../agent/options.ts'
import { call } from '../call/call.ts'
import { defineCapability } from '../capability/define.ts'
import { CapabilityError } from '../capability/error.ts'
import { PROMPT_CAPABILITY, promptCapabilities } from '../capability/prompt-capability.ts'
import { agentRunner } from '../capability/run-agent.ts'
import { SecretKeyError } from '../capability/secret/key-ring.ts'
import { Mask } from '../capability/secret/mask.ts'
import { ConfigError } from '../config/error.ts'
import { FolderError } from '../config/make-folder.ts'
import { MissingReference } from '../config/reference.ts'
import { classify } from '../failure/classify.ts'
import { SignatureCompileError } from '../failure/signature-error.ts'
import { LedgerError, type LedgerErrorCode } from '../ledger/error.ts'
import { CommandLineError } from '../process/command-line.ts'
import { testQueue } from '../testing/test-queue.ts'
import { QueueError, type QueueErrorCode } from './error.ts'

/** Words that the classifier would misread, at the end of every message. */
const WORDS = 'known: max_budget_usd, max_turns, rate_limit; 429 too many requests, connection reset'

const LEDGER: Record<LedgerErrorCode, string> = {
  locked: 'transient/lock',
  full: 'permanent/disk_full',
  read_only: 'permanent/permission',
  corrupt: 'permanent/io',
  gone: 'permanent/not_found',
  newer: 'permanent/version_mismatch',
  not_a_ledger: 'permanent/config',
  io: 'unknown/io',
  closed: 'permanent/code_bug',
  key_conflict: 'permanent/conflict',
  invalid: 'permanent/invalid_request',
  in_use: 'transient/lock',
  exists: 'permanent/conflict',
  unreachable: 'transient/network',
  unsupported: 'permanent/invalid_request',
}
const QUEUE: Record<QueueErrorCode, string> = {
  unknown_capability: 'permanent/config',
  invalid_params: 'permanent/invalid_request',
  too_large: 'permanent/request_too_large',
  invalid: 'permanent/invalid_request',
  missing: 'permanent/not_found',
  not_ended: 'permanent/conflict',
  cannot_edit: 'permanent/conflict',
  may_repeat: 'permanent/conflict',
}
const ALL: readonly (readonly [Error, string])[] = [
  [new ConfigError('mulligan.toml', WORDS), 'permanent/config'],
  [new MissingReference('env:KEY', undefined, WORDS), 'permanent/config'],
  [new FolderError('/srv', 'EACCES', WORDS), 'permanent/permission'],
  [new FolderError('/srv', 'ENOSPC', WORDS), 'permanent/disk_full'],
  [new CapabilityError(WORDS), 'permanent/config'],
  [new SecretKeyError(WORDS), 'permanent/config'],
  [new OptionError('budget', WORDS), 'permanent/config'],
  [new OptionError('allowedTools', WORDS, 'invalid_tool_pattern'), 'permanent/invalid_tool_pattern'],
  [new UnknownAgent(WORDS), 'permanent/config'],
  [new CommandLineError(WORDS), 'permanent/config'],
  [new SignatureCompileError('claude', WORDS, WORDS), 'permanent/config'],
  ...Object.entries(LEDGER).map(
    ([code, is]) => [new LedgerError(code as LedgerErrorCode, WORDS), is] as const,
  ),
  ...Object.entries(QUEUE).map(([code, is]) => [new QueueError(code as QueueErrorCode, WORDS), is] as const),
]

describe('every error class of ours', () => {
  it.each(ALL.map(([error, is]) => [error.name, is, error] as const))('%s is %s', (_name, is, error) => {
    const failure = classify(error)
    expect(`${failure?.class}/${failure?.kind}`).toBe(is)
    // Hiding the secrets of a run copies the thrown error.
    const masked = classify(new Mask(['max_turns']).value(error))
    expect(`${masked?.class}/${masked?.kind}`).toBe(is)
  })

  it('for wrong options of a call is a bug in the code, not the limit that it names', async () => {
    const error = await call(async () => 1, { maxBudget: 3 } as never).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect(classify(error)).toMatchObject({ class: 'permanent', kind: 'code_bug' })
  })

  it('that carries a failure is that failure', async () => {
    const error = await call(
      async () => {
        throw Object.assign(new Error('Your credit balance is too low'), { status: 400 })
      },
      { maxRetries: 0 },
    ).catch((thrown: unknown) => thrown)
    expect(classify(error)).toMatchObject({ class: 'throttle', kind: 'billing' })
  })
})

describe('an operation', () => {
  it('with an option that no agent has is refused, and a stored one waits for its parameters, not for a limit', async () => {
    const capabilities = promptCapabilities(agentRunner({ agents: agentsFrom({}), cwd: '/' }))
    const { queue: opened, time } = await testQueue({ capabilities })
    await using _queue = opened
    const params = { prompt: 'fix it', cwd: '/', options: { budget: 3 } }
    const refused = await opened.run(PROMPT_CAPABILITY, params).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'invalid_params', message: expect.stringContaining('budget') })
    // Stored by a process without the capability.
    const [stored] = await opened.engine.schedule([{ capability: PROMPT_CAPABILITY, params }])
    const { id } = stored as { id: string }
    await opened.runner().start()
    for (let looks = 0; (await opened.ledger.get(id))?.state !== 'parked' && looks < 200; looks++)
      await time.advance(100)
    expect(await opened.ledger.get(id)).toMatchObject({ state: 'parked', parkedFor: 'parameters' })
  })

  it('whose work submits another one wrongly dies of that', async () => {
    const outer = defineCapability({
      name: 'outer',
      params: z.object({}),
      retry: 'replay',
      run: async () => {
        throw new QueueError('invalid_params', WORDS)
      },
    })
    await using opened = (await testQueue({ capabilities: [outer] })).queue
    const result = await opened.run('outer', {}).catch((error: unknown) => error)
    expect(result).toMatchObject({ operation: { failure: { kind: 'invalid_request' } } })
  })
})
