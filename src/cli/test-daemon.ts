import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { BUILT_CLOCK, BUILT_COMMAND, BUILT_FOR_MODULES } from './test-command.ts'

type Line = Record<string, unknown>

/** A daemon as a process of its own, and what it logs. For tests. */
export class TestDaemon {
  readonly lines: Line[] = []
  readonly child: ChildProcess
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>
  readonly #waiting = new Set<() => void>()

  constructor(argv: readonly string[], { cwd, env }: { cwd: string; env: Record<string, string> }) {
    const [program = '', ...args] = argv
    this.child = spawn(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    this.ended = new Promise(resolve => this.child.once('exit', resolve))
    createInterface({ input: this.child.stderr as NodeJS.ReadableStream }).on('line', line => {
      this.lines.push(line.startsWith('{') ? (JSON.parse(line) as Line) : { msg: line })
      for (const look of this.#waiting) look()
    })
  }

  /** The first line that fits, as soon as it is there. */
  line(fits: (line: Line) => boolean): Promise<Line> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = this.lines.find(fits)
        if (!found) return
        this.#waiting.delete(look)
        resolve(found)
      }
      this.#waiting.add(look)
      look()
      void this.ended.then(code =>
        reject(new Error(`it ended with ${code}:\n${this.lines.map(line => line.msg).join('\n')}`)),
      )
    })
  }

  ready(): Promise<Line> {
    return this.line(({ ready }) => ready === true)
  }

  /** The event of this type about an operation, or about anything. */
  event(type: string, operation?: string): Promise<Line> {
    return this.line(line => line.event === type && (operation === undefined || line.operation === operation))
  }

  /** Moves its time forward; only for one that was started with a clock. */
  advance(ms: number): void {
    this.child.send({ advanceMs: ms })
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal)
    return this.ended
  }
}

/** A folder with a config and its state, and processes that work on it. For tests. */
export class Site {
  readonly folder = mkdtempSync(join(tmpdir(), 'mulligan-site-'))
  readonly env: Record<string, string>
  readonly #daemons: TestDaemon[] = []
  readonly #commands = new Set<ChildProcess>()

  /** @param path folder of programs that come first */
  constructor(path?: string) {
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
    this.env = { HOME: this.folder, PATH: path === undefined ? PATH : `${path}:${PATH}`, NODE_COMPILE_CACHE }
  }

  configure(toml: string): void {
    const file = join(this.folder, 'mulligan.toml')
    writeFileSync(file, toml)
    // Named, it is trusted.
    this.env.MULLIGAN_CONFIG = file
  }

  /** A file in its folder. */
  file(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text)
  }

  /** A module of capabilities; `capability` and `z` are there. */
  module(name: string, code: string): void {
    const imports = `import { defineCapability, z } from '${BUILT_FOR_MODULES}'`
    const helper = `const capability = (name, run) =>
      defineCapability({ name, params: z.object({}), retry: 'replay', run })`
    writeFileSync(join(this.folder, name), `${imports}\n${helper}\n${code}\n`)
  }

  /** A daemon that is not ready yet. */
  start(...flags: string[]): TestDaemon {
    return this.#start([BUILT_COMMAND, 'serve', ...flags])
  }

  /** A daemon that is ready, and whose time can be moved. */
  async serveWithClock(...flags: string[]): Promise<TestDaemon> {
    const daemon = this.#start(['--import', BUILT_CLOCK, BUILT_COMMAND, 'serve', ...flags])
    await daemon.ready()
    return daemon
  }

  /** A daemon that is ready. */
  async serve(...flags: string[]): Promise<TestDaemon> {
    const daemon = this.start(...flags)
    await daemon.ready()
    return daemon
  }

  /** A command as a process of its own. */
  run(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    return new Promise(resolve => {
      const child = execFile(
        process.execPath,
        [BUILT_COMMAND, ...argv],
        { cwd: this.folder, env: this.env },
        (error, stdout, stderr) => {
          this.#commands.delete(child)
          resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr })
        },
      )
      this.#commands.add(child)
    })
  }

  async json(name: string, ...argv: string[]): Promise<Record<string, unknown>> {
    return JSON.parse((await this.run(name, '--json', ...argv)).stdout) as Record<string, unknown>
  }

  #start(argv: readonly string[]): TestDaemon {
    const daemon = new TestDaemon([process.execPath, ...argv], { cwd: this.folder, env: this.env })
    this.#daemons.push(daemon)
    return daemon
  }

  /** Ends all daemons, and commands that a test which failed no longer waits for. */
  async close(): Promise<void> {
    for (const child of this.#commands) child.kill('SIGKILL')
    await Promise.all(this.#daemons.map(daemon => daemon.stop('SIGKILL')))
  }
}
