import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, vi } from 'vitest'
import { BUILT_PACKAGE_COMMAND } from '../../../test/cli/command.ts'

interface Overview {
  status: { succeeded: number; providers: { id: string; admits: boolean }[]; schedules: unknown[] }
  unknowns: { parked: number }[]
  questions: { workflow: string }[]
  agenda: { due: number[] }
}

it('shows a newcomer limits, an unknown failure, a question and work to come, and leaves nothing behind', async () => {
  const home = mkdtempSync(join(tmpdir(), 'mulligan-demo-home-'))
  const demo = spawn(process.execPath, [BUILT_PACKAGE_COMMAND, 'demo', '--http-port', '0'], {
    env: { HOME: home, PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise(resolve => demo.once('exit', resolve))
  try {
    const lines: string[] = []
    createInterface({ input: demo.stdout }).on('line', line => lines.push(line))
    const found = (pattern: RegExp) =>
      vi.waitFor(() => {
        const [, value] = pattern.exec(lines.join('\n')) ?? []
        expect(value).toBeDefined()
        return value as string
      }, 30_000)
    const url = await found(/(http:\S+)\/sign-in#/)
    const data = await found(/--data (\S+)/)
    const token = readFileSync(join(data, 'http.token'), 'utf8').trim()
    const overview = async () => {
      const answer = await fetch(`${url}/v1/overview`, { headers: { authorization: `Bearer ${token}` } })
      return (await answer.json()) as Overview
    }
    await vi.waitFor(async () => {
      const { status, unknowns, questions, agenda } = await overview()
      expect(status.providers.map(({ id }) => id)).toEqual(['claude', 'codex', 'gemini'])
      expect(status.providers.some(({ admits }) => !admits)).toBe(true)
      expect(status.schedules).toHaveLength(3)
      expect(status.succeeded).toBeGreaterThan(0)
      expect(unknowns[0]?.parked).toBeGreaterThan(0)
      expect(questions[0]?.workflow).toBe('release')
      expect(agenda.due.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0)
    }, 30_000)
    demo.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(existsSync(data)).toBe(false)
  } finally {
    demo.kill('SIGKILL')
    rmSync(home, { recursive: true, force: true })
  }
})
