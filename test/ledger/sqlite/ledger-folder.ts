import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import {
  type LedgerOptions,
  openLedger,
  type SqliteLedger,
} from '../../../src/ledger/sqlite/sqlite-ledger.ts'

/** A folder with a ledger, and processes that work on it. For tests. */
export class LedgerFolder {
  readonly folder = mkdtempSync(join(tmpdir(), 'mulligan-faults-'))
  readonly file = join(this.folder, 'state', 'ledger.db')
  readonly #open = new Set<SqliteLedger>()
  readonly #children = new Set<ChildProcess>()

  /** Opens the ledger; it is closed with the folder. */
  async open(options: Partial<LedgerOptions> = {}): Promise<SqliteLedger> {
    const ledger = await openLedger({ file: this.file, ...options })
    this.#open.add(ledger)
    return ledger
  }

  /**
   * Starts another process that runs a module. It may use `openLedger`, `checkFile`, `DatabaseSync`, `file`,
   * `tell(value)` and `orders`, the lines it receives.
   */
  process(program: string): OtherProcess {
    const [ledger, check] = ['sqlite-ledger.ts', 'check-file.ts'].map(file =>
      JSON.stringify(new URL(`../../../src/ledger/sqlite/${file}`, import.meta.url).href),
    )
    const code = `import { createInterface } from 'node:readline'
      import { DatabaseSync } from 'node:sqlite'
      import { openLedger } from ${ledger}
      import { checkFile } from ${check}
      const file = ${JSON.stringify(this.file)}
      const tell = value => void process.stdout.write(JSON.stringify(value) + '\\n')
      const orders = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
      ${program}`
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#children.add(child)
    return new OtherProcess(child)
  }

  /** Closes every ledger that this process has opened. */
  async shut(): Promise<void> {
    for (const ledger of this.#open) await ledger.close()
    this.#open.clear()
  }

  /** Deletes the ledger's files. */
  forget(): void {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${this.file}${suffix}`, { force: true })
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL')
    await this.shut()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The output of another process, in order, and its exit code. For tests. */
export class OtherProcess {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  readonly #lines: AsyncIterator<string>

  constructor(child: ChildProcess) {
    this.child = child
    this.ended = new Promise(resolve => child.once('exit', resolve))
    this.#lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
  }

  /** The next value it tells. */
  async heard(): Promise<unknown> {
    const { value, done } = await this.#lines.next()
    if (done) throw new Error('the other process ended without telling more')
    return JSON.parse(value)
  }

  /** Sends it a line, and waits for its answer. */
  ask(order: string): Promise<unknown> {
    this.order(order)
    return this.heard()
  }

  order(order: string): void {
    this.child.stdin?.write(`${order}\n`)
  }
}

/** Inserts one operation. */
export const submit = (ledger: SqliteLedger, params: unknown = null) =>
  ledger.transaction(writes => writes.insert([{ capability: 'a', params }]))

/** Inserts this many operations of a kilobyte each, and ends them. */
export async function fill(ledger: SqliteLedger, operations: number): Promise<void> {
  const many = Array.from({ length: operations }, (_, n) => ({
    capability: 'a',
    params: `${n}`.padEnd(1_000, '.'),
  }))
  await ledger.transaction(writes => {
    for (const { id } of writes.insert(many)) writes.cancel(id, 'enough')
  })
}
