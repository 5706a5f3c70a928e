import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../src/config/read.ts'
import { BUILT_COMMAND, BUILT_PACKAGE } from '../test/cli/command.ts'
import { promisedLines, type Snippet, snippetsOf } from './snippets.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** A user's folder, with the built package and the repository's dependencies installed. */
const folder = join(root, '.cache', 'snippets')
/** `npx mulligan`, without the second that npx itself takes, and with the command that starts faster than the published one. */
const NPX = `#!/bin/sh
[ "$1" = mulligan ] || { echo "only mulligan is installed here, not $1" >&2; exit 1; }
shift
exec "${process.execPath}" "${BUILT_COMMAND}" "$@"
`
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.md'))
    .map(file => join('docs', file)),
]
const snippets = documents.flatMap(file => snippetsOf(join(root, file)))
const run = promisify(execFile)

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  symlinkSync(BUILT_PACKAGE, join(folder, 'node_modules', 'mulligan'))
  symlinkSync(join(BUILT_PACKAGE, 'node_modules', '@mulligan'), join(folder, 'node_modules', '@mulligan'))
  symlinkSync(join(root, 'docs'), join(folder, 'docs'))
  writeFileSync(join(folder, 'bin', 'npx'), NPX, { mode: 0o755 })
  // Some snippets write files where they run.
  process.chdir(folder)
})
afterAll(() => {
  process.chdir(root)
  rmSync(folder, { recursive: true, force: true })
})

const executors: Record<string, (snippet: Snippet) => Promise<void>> = {
  ts: async ({ code, line }) => {
    const file = join(folder, `snippet-${line}-${Math.abs(hash(code))}.js`)
    // As Node does when it loads TypeScript, but with the stripper loaded once instead of in each process.
    writeFileSync(file, stripTypeScriptTypes(code))
    const printed = (await printedBy(file)).trimEnd().split('\n')
    const promised = promisedLines(code)
    expect(promised.map((wanted, index) => (wanted === undefined ? undefined : printed[index]))).toEqual(
      promised,
    )
  },
  sh: async ({ code }) => {
    const { stdout, stderr } = await run('sh', ['-e', '-c', code], {
      cwd: root,
      env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
    })
    expect(stdout).not.toBe('')
    expect(stderr).toBe('')
  },
  toml: async ({ code, file }) => {
    expect(readConfig(code, file).values.map(({ origin }) => origin.from)).toContain('file')
  },
}

/** What a program prints. On a thread, with modules of its own like a process, but started in a fraction of its time. */
function printedBy(file: string): Promise<string> {
  const thread = new Worker(pathToFileURL(file), { stdout: true, stderr: true, execArgv: [] })
  const printed = Promise.all([text(thread.stdout), text(thread.stderr)])
  return new Promise((resolve, reject) => {
    thread.once('error', reject)
    thread.once('exit', code =>
      printed.then(([stdout, stderr]) =>
        code === 0 ? resolve(stdout) : reject(new Error(`ended with ${code}: ${stderr}`)),
      ),
    )
  })
}

function hash(text: string): number {
  let sum = 0
  for (const char of text) sum = (Math.imul(sum, 31) + (char.codePointAt(0) as number)) | 0
  return sum
}

describe('the snippets of the documentation', () => {
  it('exist', () => {
    expect(snippets.length).toBeGreaterThan(5)
  })

  it.each(snippets.map(snippet => [`${snippet.file.slice(root.length)}:${snippet.line}`, snippet] as const))(
    'run unchanged: %s',
    async (_place, snippet) => {
      if (snippet.notExecuted !== undefined) {
        expect(snippet.notExecuted.length).toBeGreaterThan(10)
        return
      }
      const execute = executors[snippet.language]
      expect(execute, `no way to execute ${snippet.language}`).toBeDefined()
      await execute?.(snippet)
    },
  )
})
