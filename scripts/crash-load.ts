import { spawn } from 'node:child_process'

/** Uses a processor until its parent is gone, even if that was killed. */
const BUSY = `const parent = process.ppid
for (;;) { for (const end = Date.now() + 100; Date.now() < end; ); if (process.ppid !== parent) process.exit() }`

/** Starts programs that use all the processor time they get. Returns what ends them. */
export function startLoad(programs: number): () => void {
  const children = Array.from({ length: programs }, () =>
    spawn(process.execPath, ['-e', BUSY], { stdio: 'ignore' }),
  )
  return () => {
    for (const child of children) child.kill('SIGKILL')
  }
}
