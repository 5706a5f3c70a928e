import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { BUILT_CLOCK, BUILT_COMMAND, BUILT_FOR_MODULES } from './command.ts'
import { type Ran, runCommand } from './terminal.ts'

type Line = Record<string, unknown>

/** A daemon in a child process, and its log. For tests. */
export class TestDaemon {
  readonly lines: Line[] = []
  readonly child: ChildProcess
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>
  readonly #waiting = new Set<() => void>()

  constructor(argv: readonly string[], { cwd, env }: { cwd: string; env: Record<string, string> }) {
    const [program = '', ...args] = argv
    this.child = spawn(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    // Not at `exit`: the last lines of its log may come later.
    this.ended = new Promise(resolve => this.child.once('close', resolve))
    createInterface({ input: this.child.stderr as NodeJS.ReadableStream }).on('line', line => {
      this.lines.push(line.startsWith('{') ? (JSON.parse(line) as Line) : { msg: line })
      for (const look of this.#waiting) look()
    })
  }

  /** Resolves with the first log line that fits. */
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
        reject(new Error(`the daemon ended with ${code}:\n${this.lines.map(line => line.msg).join('\n')}`)),
      )
    })
  }

  ready(): Promise<Line> {
    return this.line(({ ready }) => ready === true)
  }

  /** Resolves with the first event of this type, about this operation if given. */
  event(type: string, operation?: string): Promise<Line> {
    return this.line(line => line.event === type && (operation === undefined || line.operation === operation))
  }

  /** Moves its time forward. Needs a daemon started with a clock. */
  advance(ms: number): void {
    // One that ends meanwhile needs no more time.
    if (this.child.connected) this.child.send({ advanceMs: ms }, () => {})
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal)
    return this.ended
  }
}

/** A folder with a config and its state, and processes that use it. For tests. */
export class Site {
  readonly folder = mkdtempSync(join(tmpdir(), 'mulligan-site-'))
  readonly env: Record<string, string>
  readonly #daemons: TestDaemon[] = []
  readonly #closing = new AbortController()

  /** @param path folder to put first on PATH */
  constructor(path?: string) {
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
    this.env = { HOME: this.folder, PATH: path === undefined ? PATH : `${path}:${PATH}`, NODE_COMPILE_CACHE }
  }

  configure(toml: string): void {
    const file = join(this.folder, 'mulligan.toml')
    writeFileSync(file, toml)
    // A config named by a variable is trusted.
    this.env.MULLIGAN_CONFIG = file
  }

  /** Writes a file into the folder. */
  file(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text)
  }

  /** Writes a module of capabilities, which can use `capability` and `z`. */
  module(name: string, code: string): void {
    const imports = `import { defineCapability, z } from '${BUILT_FOR_MODULES}'`
    const helper = `const capability = (name, run) =>
      defineCapability({ name, params: z.object({}), retry: 'replay', run })`
    writeFileSync(join(this.folder, name), `${imports}\n${helper}\n${code}\n`)
  }

  /** Starts a daemon, without waiting until it is ready. */
  start(...flags: string[]): TestDaemon {
    return this.#start([BUILT_COMMAND, 'serve', ...flags])
  }

  /** Starts a daemon whose time can be moved, and waits until it is ready. */
  async serveWithClock(...flags: string[]): Promise<TestDaemon> {
    const daemon = this.#start(['--import', BUILT_CLOCK, BUILT_COMMAND, 'serve', ...flags])
    await daemon.ready()
    return daemon
  }

  /** Starts a daemon, and waits until it is ready. */
  async serve(...flags: string[]): Promise<TestDaemon> {
    const daemon = this.start(...flags)
    await daemon.ready()
    return daemon
  }

  /** Runs a command in this process: to a daemon it is another one, and starting hundreds would take most of a test's time. */
  run(...argv: string[]): Promise<Ran> {
    const { folder: cwd, env } = this
    return runCommand(argv, { cwd, env, trusts: false, now: Date.now, signal: this.#closing.signal })
  }

  async json(name: string, ...argv: string[]): Promise<Record<string, unknown>> {
    return JSON.parse((await this.run(name, '--json', ...argv)).stdout) as Record<string, unknown>
  }

  #start(argv: readonly string[]): TestDaemon {
    const daemon = new TestDaemon([process.execPath, ...argv], { cwd: this.folder, env: this.env })
    this.#daemons.push(daemon)
    return daemon
  }

  /** Kills all daemons, and ends commands that a failed test left running. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#daemons.map(daemon => daemon.stop('SIGKILL')))
  }
}
