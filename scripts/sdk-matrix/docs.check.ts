import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startLab } from '../../lab/index.ts'
import { promisedLines, snippetsOf } from '../snippets.ts'

// Runs the snippets of the guide with the real packages. The vendors are the lab.
const root = join(import.meta.dirname, '../..')
const folder = join(import.meta.dirname, '.snippets')
const SOURCES: Record<string, string> = {
  '@mulligan/core/ai-sdk': 'src/sdk/ai-sdk/index.ts',
  '@mulligan/core/fetch': 'src/sdk/fetch/index.ts',
  '@mulligan/core/langchain': 'src/sdk/langchain/index.ts',
  'mulligan/open': 'src/daemon/open/index.ts',
}
let lab: Awaited<ReturnType<typeof startLab>>

beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  lab = await startLab({})
  for (const name of ['OPENAI', 'ANTHROPIC', 'GEMINI', 'GROQ']) vi.stubEnv(`${name}_API_KEY`, 'k')
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'))
})
afterAll(async () => {
  await lab.close()
  rmSync(folder, { recursive: true, force: true })
})

const snippets = snippetsOf(join(root, 'docs/sdks.md')).filter(({ language }) => language === 'ts')

it('are there', () => expect(snippets.length).toBeGreaterThan(6))

it.each(snippets.map(snippet => [snippet.line, snippet.code] as const))(
  'line %i does what it says',
  async (line, code) => {
    const file = join(folder, `line-${line}.ts`)
    writeFileSync(
      file,
      code.replaceAll(
        /from '(@?mulligan\/[^']+)'/g,
        (_, name: string) => `from '${join(root, SOURCES[name] as string)}'`,
      ),
    )
    // The AI SDK wants the version in its address, and Anthropic's own client does not.
    vi.stubEnv('OPENAI_BASE_URL', lab.openaiUrl)
    vi.stubEnv('ANTHROPIC_BASE_URL', code.includes('@ai-sdk/anthropic') ? `${lab.url}/v1` : lab.url)
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    await import(file)
    const said = log.mock.calls.map(given => given.map(String).join(' '))
    log.mockRestore()
    for (const [at, promised] of promisedLines(code).entries())
      if (promised !== undefined) expect(said[at]).toBe(promised)
    if (code.includes('console.log(')) expect(said).not.toEqual([])
  },
)
