import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it, vi } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'mulligan-leave-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const module = fileURLToPath(new URL('leave-running.ts', import.meta.url))

it('lets a program finish with its whole input after the one that started it has exited', async () => {
  const file = join(folder, 'heard')
  // It reads only once its starter is gone.
  const reader = `const fs = require('node:fs')
    const wait = setInterval(() => {
      if (process.ppid === Number(process.argv[1])) return
      clearInterval(wait)
      fs.writeFileSync(${JSON.stringify(file)}, fs.readFileSync(0))
    }, 5)`
  const starter = `import { leaveRunning } from ${JSON.stringify(module)}
    leaveRunning([process.execPath, '-e', ${JSON.stringify(reader)}, String(process.pid)], 'x'.repeat(9_000))
    process.exit(0)`
  await new Promise<void>((resolve, reject) => {
    execFile(process.execPath, ['--input-type=module', '-e', starter], error =>
      error ? reject(error) : resolve(),
    )
  })
  await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toHaveLength(9_000), { timeout: 20_000 })
})

it('does not throw for a program that does not exist', async () => {
  const { leaveRunning } = await import('./leave-running.ts')
  expect(() => leaveRunning(['/nonexistent/program'], 'x')).not.toThrow()
})
