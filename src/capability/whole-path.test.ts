import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { testContext } from '../../test/capability/context.ts'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { admitParams } from './check-params.ts'
import type { PastAttempt } from './context.ts'
import { defineCapability } from './define.ts'
import { fileEffect } from './effects.ts'
import { commandCapability } from './kind/command-capability.ts'
import { type PreparedRun, prepareRun } from './prepare-run.ts'
import { CapabilityRegistry } from './registry.ts'
import { storeResult } from './result.ts'
import { mustVerify } from './retry-policy.ts'
import { Secrets } from './secret/secrets.ts'
import { verify } from './verify.ts'
import { runWork, workFailure } from './work.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-path-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('an operation from submit to end', () => {
  it.each([0, 1])('shows its secrets only to its program, if that ends with %i', async code => {
    const secret = 'correct-horse "battery" staple'
    const program = `
      const { TOKEN } = process.env
      console.log(JSON.stringify({ TOKEN }), encodeURIComponent(TOKEN), Buffer.from(TOKEN).toString('base64'))
      console.error('refused: ' + TOKEN)
      process.exit(${code})`
    const capability = commandCapability({
      retry: 'none',
      name: 'leak',
      argv: [process.execPath, '-e', program],
      env: { TOKEN: '{token}' },
      params: { token: { secret: true } },
    })
    const tools = {
      registry: new CapabilityRegistry([capability]),
      secrets: new Secrets({ folder }),
      env: {},
    }
    const admitted = (await admitParams(capability, { token: secret }, tools.secrets)) as { params: unknown }
    const row = JSON.stringify(admitted.params)
    const ready = (await prepareRun(
      { capability: 'leak', params: JSON.parse(row) },
      tools,
    )) as PreparedRun & {
      ready: true
    }
    const outcome = await runWork(ready.capability, ready.params, testContext())
    const failure = workFailure(outcome, {}, ready.mask)
    const value = outcome.ended === 'returned' ? outcome.value : undefined
    const stored = await storeResult(value, { operation: 'op-1', run: 1, mask: ready.mask })
    expect(JSON.stringify(outcome)).toContain('horse')
    expect(failure === undefined).toBe(code === 0)
    for (const written of [row, JSON.stringify(failure ?? null), JSON.stringify(stored ?? null)]) {
      expect(written).not.toMatch(/horse|battery|staple/)
      expect(written).not.toContain(Buffer.from(secret).toString('base64'))
    }
    expect(JSON.stringify(failure ?? stored)).toContain('***REDACTED***')
  })
})

describe('work that is killed', () => {
  const lost: Failure = { ...(classify(new Error('killed')) as Failure), effect: 'maybe' }

  /** Runs the capability in its own process and kills that at the named moment. */
  async function runAndKill(log: string, at: 'before' | 'after'): Promise<void> {
    const program = `
      const { appendFileSync, writeSync } = require('node:fs')
      const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
      const at = name => { writeSync(1, name + '\\n'); if (name === ${JSON.stringify(at)}) pause() }
      at('before')
      appendFileSync(${JSON.stringify(log)}, 'effect of op-1\\n')
      at('after')`
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    for await (const chunk of child.stdout) {
      if (!String(chunk).includes(at)) continue
      child.kill('SIGKILL')
      break
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    expect(child.signalCode).toBe('SIGKILL')
  }

  it.each(['before', 'after'] as const)('%s its effect has the effect once in the end', async at => {
    const log = join(folder, 'effects.log')
    let runs = 0
    const capability = defineCapability({
      name: 'effect',
      params: z.object({}),
      retry: 'verify_first',
      verify: fileEffect({ path: log, contains: 'effect of op-1' }),
      run: async () => {
        runs++
        const { appendFileSync } = await import('node:fs')
        appendFileSync(log, 'effect of op-1\n')
      },
    })
    await runAndKill(log, at)
    const attempts: PastAttempt[] = [{ number: 1, run: 1, startedAt: 0, endedAt: 1, failure: lost }]
    expect(mustVerify(capability, attempts)).toBe(true)
    const verified = await verify(capability, {}, testContext({ attempts, run: 2 }))
    expect(verified).toEqual({ state: at === 'before' ? 'absent' : 'done' })
    if (verified.state === 'absent') await runWork(capability, {}, testContext({ attempts, run: 2 }))
    expect(runs).toBe(at === 'before' ? 1 : 0)
    expect(existsSync(log) && readFileSync(log, 'utf8')).toBe('effect of op-1\n')
  })
})
