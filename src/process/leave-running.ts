import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quietly } from '../time/clean-up.ts'
import { childEnvironment } from './environment.ts'

/**
 * Starts a short program that outlives this process, for what must be recorded while it exits: `run` would end the program with
 * it. The program must end by itself. Never throws.
 * @param input its stdin, as a file that is already unlinked, because a pipe may not be written before the exit
 */
export function leaveRunning([program, ...args]: readonly [string, ...string[]], input: string): void {
  void quietly(() => {
    const folder = mkdtempSync(join(tmpdir(), 'mulligan-input-'))
    const file = join(folder, 'input')
    writeFileSync(file, input, { mode: 0o600 })
    const stdin = openSync(file, 'r')
    void quietly(() => rmSync(folder, { recursive: true, force: true }))
    const child = spawn(program, args, {
      env: childEnvironment() as NodeJS.ProcessEnv,
      detached: true,
      stdio: [stdin, 'ignore', 'ignore'],
    })
    child.on('error', () => {})
    child.unref()
    closeSync(stdin)
  })
}
