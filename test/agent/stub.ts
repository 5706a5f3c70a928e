import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of executables that behave like agent CLIs, and how they were started. For tests. */
export class Stubs {
  readonly folder = mkdtempSync(join(tmpdir(), 'mulligan-stubs-'))

  /**
   * Writes an executable. Its body is JavaScript and may use: `args`, `input` (stdin), `out(object)` for a JSON line,
   * `say(text)` for stdout, `warn(text)` for stderr, `end(code)`, `hang()`, and `start`, the number of this start from 1.
   * @returns its path
   */
  make(name: string, body: string): string {
    const file = join(this.folder, name)
    const log = JSON.stringify(this.#log(name))
    writeFileSync(
      file,
      `#!${process.execPath}
const fs = require('node:fs')
const args = process.argv.slice(2)
let input = ''
try { input = fs.readFileSync(0, 'utf8') } catch {}
fs.appendFileSync(${log}, JSON.stringify({ args, input, cwd: process.cwd(), env: process.env }) + '\\n')
const start = fs.readFileSync(${log}, 'utf8').trim().split('\\n').length
const say = text => fs.writeSync(1, text)
const out = event => say(JSON.stringify(event) + '\\n')
const warn = text => fs.writeSync(2, text + '\\n')
const end = code => process.exit(code)
const hang = () => setInterval(() => {}, 1e9)
${body}
`,
      { mode: 0o755 },
    )
    return file
  }

  /** How an executable was started, in order. */
  starts(name: string): { args: string[]; input: string; cwd: string; env: Record<string, string> }[] {
    if (!existsSync(this.#log(name))) return []
    // Only whole lines: the file may be there before its first one is.
    return readFileSync(this.#log(name), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line))
  }

  #log(name: string): string {
    return join(this.folder, `${name}.log`)
  }
}

/** Polls until a condition holds; tests never wait for a fixed time. */
export async function eventually(isTrue: () => boolean): Promise<void> {
  // Less and less often: what takes a second is usually a process that needs the processor.
  for (let ms = 2; !isTrue(); ms = Math.min(ms * 1.5, 40))
    await new Promise(resolve => setTimeout(resolve, ms))
}

/** False also for a process that has ended but was not reaped yet. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** The last line of a successful run of Claude Code. */
export const CLAUDE_ANSWER = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'All tests pass.',
  session_id: 's-1',
  num_turns: 3,
  total_cost_usd: 0.12,
  usage: { input_tokens: 100, cache_read_input_tokens: 50, output_tokens: 20 },
  permission_denials: [],
}
