import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCommand } from '../../../test/cli/terminal.ts'

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

it.each([
  [{ TRACEPARENT }, TRACEPARENT],
  [{ TRACEPARENT: 'nonsense' }, undefined],
  [{}, undefined],
])('what is submitted under %j belongs to that trace', async (env, traceparent) => {
  const data = mkdtempSync(join(tmpdir(), 'mulligan-trace-'))
  const run = (...argv: string[]) =>
    runCommand([...argv, '--data', data, '--json'], { cwd: data, now: Date.now, env })
  expect((await run('submit', 'report', '--unchecked')).code).toBe(0)
  const { operations } = JSON.parse((await run('ops', 'ls')).stdout)
  expect(operations[0].traceparent).toBe(traceparent)
})
