import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, type WriteStream } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { present } from '../failure/present.ts'
import { realTime, type Time } from '../time/time.ts'
import { childEnvironment } from './environment.ts'
import { guard, guardGroup, isGroupAlive, KILL_GRACE_DEFAULT_MS, release, signalGroup } from './guard.ts'
import { startError } from './missing-folder.ts'
import { BoundedOutput } from './output.ts'
import { killStragglers, newMark, type Straggler, signalOne, stragglers, withMark } from './stragglers.ts'

/** A program to run. No shell is used: arguments are passed as they are. */
export interface ProcessOptions {
  /** The program and its arguments. */
  argv: readonly [string, ...string[]]
  /** Working folder. Default: this process's. */
  cwd?: string
  /** The whole environment of the program; Mulligan's own key is removed. Default: this process's environment. */
  env?: Record<string, string | undefined>
  /** Text for stdin, which is then closed. Default: empty. */
  stdin?: string
  /** In place of `stdin`: receives the program's pipes once it runs, to talk to it. stdin then stays open. */
  onStart?: (pipes: ProcessPipes) => void
  /** Time limit in milliseconds, after which the whole tree is killed. Default Infinity. */
  timeoutMs?: number
  /** Longest time without any output, in milliseconds. Default Infinity. */
  stallMs?: number
  /** Time between SIGTERM and SIGKILL, in milliseconds. Default 3 s. */
  killGraceMs?: number
  /** Aborting kills the whole tree and sets `aborted` in the result. */
  signal?: AbortSignal
  /** Called with every chunk of output; chunks may end inside a character. */
  onOutput?: (stream: 'stdout' | 'stderr', chunk: Buffer) => void
  /** How many bytes of each stream to keep; see {@link BoundedOutput}. */
  keep?: { headBytes?: number; tailBytes?: number }
  /** Keep processes that the program leaves behind when it exits on its own. Default false: the tree is killed. */
  leaveChildren?: boolean
  /** File (mode 0600) that receives all of stdout and stderr. Default: none. */
  logFile?: string
  /** The clock. Default: this machine's. */
  time?: Time
}

/** The pipes of a running program. stdout's data goes to `onOutput`; here it can be paused. */
export interface ProcessPipes {
  stdin: Writable
  stdout: Readable
}

/** How a program ended, in a shape that `classify` accepts. */
export interface ProcessResult {
  exitCode: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** True if the time limit passed and the tree was killed. */
  timedOut: boolean
  /** True if no output came for `stallMs` and the tree was killed. */
  stalled: boolean
  /** True if the caller's signal ended it. */
  aborted: boolean
  durationMs: number
  stdoutBytes: number
  stderrBytes: number
}

/**
 * Runs a program in its own process group and waits for it to end. On timeout, stall or abort, the whole tree gets SIGTERM,
 * a grace period, then SIGKILL. If this process dies, the tree is killed too. Rejects only if the program cannot start. If the
 * signal is already aborted, nothing starts.
 */
export function run(options: ProcessOptions): Promise<ProcessResult> {
  if (options.signal?.aborted) return Promise.resolve(NOT_STARTED)
  try {
    return new Run(options).result
  } catch (error) {
    // Invalid arguments, such as a NUL character, or a file in place of the working folder.
    return Promise.reject(startError(error as NodeJS.ErrnoException, options.argv[0], options.cwd))
  }
}

/** Aborted before it started. */
const NOT_STARTED: ProcessResult = Object.freeze({
  exitCode: null,
  signal: null,
  stdout: '',
  stderr: '',
  timedOut: false,
  stalled: false,
  aborted: true,
  durationMs: 0,
  stdoutBytes: 0,
  stderrBytes: 0,
})

/** How long processes left by a program may keep writing output, in milliseconds. */
const DRAIN_MS = 500

class Run {
  readonly result: Promise<ProcessResult>
  readonly #options: ProcessOptions
  readonly #time: Time
  readonly #startedAt: number
  readonly #stdout: BoundedOutput
  readonly #stderr: BoundedOutput
  readonly #child: ChildProcess
  readonly #log: WriteStream | undefined
  readonly #mark = newMark()
  #stragglers: readonly Straggler[] = []
  #endedBy: 'timeout' | 'stall' | 'abort' | undefined
  #cancelTimeout: (() => void) | undefined
  #cancelStall: (() => void) | undefined
  #cancelDrain: (() => void) | undefined
  #cancelKill: (() => void) | undefined

  constructor(options: ProcessOptions) {
    this.#options = options
    this.#time = options.time ?? realTime
    this.#startedAt = this.#time.monotonic()
    this.#stdout = new BoundedOutput(options.keep)
    this.#stderr = new BoundedOutput(options.keep)
    const [program, ...args] = options.argv
    guard(this.#mark)
    this.#child = this.#start(program, args)
    this.#log =
      options.logFile === undefined
        ? undefined
        : createWriteStream(options.logFile, { mode: 0o600, flags: 'a' })
    // A log that cannot be written must not fail the run, let alone this process.
    this.#log?.on('error', ({ message }) => process.emitWarning(message, { code: 'MULLIGAN_LOG' }))
    this.result = this.#watch()
  }

  #start(program: string, args: readonly string[]): ChildProcess {
    const { cwd, env, stdin, onStart } = this.#options
    try {
      return spawn(program, args, {
        ...present({ cwd }),
        env: withMark(childEnvironment(env), this.#mark) as NodeJS.ProcessEnv,
        detached: true,
        stdio: [stdin === undefined && !onStart ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      })
    } catch (error) {
      release(this.#mark)
      throw error
    }
  }

  #watch(): Promise<ProcessResult> {
    const { signal, timeoutMs = Infinity, stdin } = this.#options
    return new Promise((resolve, reject) => {
      const child = this.#child
      const onAbort = () => this.#end('abort')
      const finish = () => {
        signal?.removeEventListener('abort', onAbort)
        this.#cancelTimeout?.()
        this.#cancelStall?.()
        this.#cancelDrain?.()
        this.#cancelKill?.()
        release(this.#mark)
      }
      child.once('error', error => {
        finish()
        this.#log?.end()
        reject(startError(error, this.#options.argv[0], this.#options.cwd))
      })
      child.once('exit', () => this.#drain())
      child.once('close', (exitCode, signalName) => {
        // A grandchild that closed its streams may still be alive; kill the whole tree.
        const mayStay = this.#options.leaveChildren === true && this.#endedBy === undefined
        if (child.pid !== undefined && !mayStay) {
          if (isGroupAlive(child.pid)) signalGroup(child.pid, 'SIGKILL')
          killStragglers(this.#mark, child.pid, this.#stragglers)
        }
        finish()
        const result = this.#resultOf(exitCode, signalName)
        if (this.#log) this.#log.end(() => resolve(result))
        else resolve(result)
      })
      if (child.pid === undefined) return
      guardGroup(this.#mark, child.pid)
      child.stdout?.on('data', (chunk: Buffer) => this.#output('stdout', chunk))
      child.stderr?.on('data', (chunk: Buffer) => this.#output('stderr', chunk))
      // A program may end without reading its input; its exit code tells how it ended.
      child.stdin?.on('error', () => {})
      if (stdin !== undefined) child.stdin?.end(stdin)
      else this.#options.onStart?.({ stdin: child.stdin as Writable, stdout: child.stdout as Readable })
      this.#cancelTimeout = this.#time.after(timeoutMs, () => this.#end('timeout'))
      this.#armStall()
      if (signal?.aborted) onAbort()
      else signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  #output(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    ;(stream === 'stdout' ? this.#stdout : this.#stderr).push(chunk)
    this.#log?.write(chunk)
    this.#armStall()
    this.#options.onOutput?.(stream, chunk)
  }

  #armStall(): void {
    const { stallMs = Infinity } = this.#options
    if (stallMs === Infinity) return
    this.#cancelStall?.()
    this.#cancelStall = this.#time.after(stallMs, () => this.#end('stall'))
  }

  /** Asks the whole tree to stop, then kills it. */
  #end(by: 'timeout' | 'stall' | 'abort'): void {
    if (this.#endedBy !== undefined) return
    // Once the program has exited, its result is final, even if another process still holds its pipes.
    const hasEnded = this.#child.exitCode !== null || this.#child.signalCode !== null
    if (!hasEnded) this.#endedBy = by
    this.#endTree()
  }

  /** The program has exited. Processes it left may hold our pipes, and must not delay the result. */
  #drain(): void {
    if (this.#endedBy !== undefined || this.#options.leaveChildren === true) return
    this.#cancelDrain = this.#time.after(DRAIN_MS, () => this.#endTree())
  }

  #endTree(): void {
    const { pid } = this.#child
    if (pid === undefined || this.#cancelKill) return
    // Finds stragglers before killing: some are known only by their parents.
    this.#stragglers = stragglers(this.#mark, pid)
    signalGroup(pid, 'SIGTERM')
    for (const straggler of this.#stragglers) signalOne(straggler.pid, 'SIGTERM')
    this.#cancelKill = this.#time.after(this.#options.killGraceMs ?? KILL_GRACE_DEFAULT_MS, () => {
      signalGroup(pid, 'SIGKILL')
      killStragglers(this.#mark, pid, this.#stragglers)
      // A straggler that was not found may still hold our pipes; do not wait for it.
      this.#child.stdout?.destroy()
      this.#child.stderr?.destroy()
    })
  }

  #resultOf(exitCode: number | null, signal: NodeJS.Signals | null): ProcessResult {
    return {
      exitCode,
      signal,
      stdout: this.#stdout.toString(),
      stderr: this.#stderr.toString(),
      timedOut: this.#endedBy === 'timeout' || this.#endedBy === 'stall',
      stalled: this.#endedBy === 'stall',
      aborted: this.#endedBy === 'abort',
      durationMs: this.#time.monotonic() - this.#startedAt,
      stdoutBytes: this.#stdout.totalBytes,
      stderrBytes: this.#stderr.totalBytes,
    }
  }
}
