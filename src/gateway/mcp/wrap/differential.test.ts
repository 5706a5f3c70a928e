import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { programSettings, startWrap } from '../../../../test/gateway/mcp/wrap/wrap.ts'
import { LineReader } from '../lines.ts'

/*
 * The same conversation with a server, directly and through the wrap: every answer must be the same, byte by byte.
 */

const base = mkdtempSync(join(tmpdir(), 'mulligan-differential-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

const require = createRequire(import.meta.url)
const program = (name: string) =>
  join(dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`)), 'dist', 'index.js')

interface Wire {
  write(line: string): void
  onLine(listener: (line: string) => void): void
}

/** What a client says, and the lines that it gets. Requests of the server get fixed answers. */
class Conversation {
  readonly #wire: Wire
  readonly #waiting = new Map<unknown, (line: string) => void>()
  #ids = 0
  /** Methods of what the server said unasked. */
  readonly told = new Set<string>()

  constructor(wire: Wire) {
    this.#wire = wire
    wire.onLine(line => {
      const { id, method } = JSON.parse(line) as { id?: unknown; method?: string }
      if (method === undefined) this.#waiting.get(id)?.(line)
      else {
        this.told.add(method)
        if (id !== undefined) this.#say({ id, result: ANSWERS[method] ?? {} })
      }
    })
  }

  ask(method: string, params?: object): Promise<string> {
    const id = this.#ids++
    const answer = new Promise<string>(resolve => this.#waiting.set(id, resolve))
    this.#say({ id, method, ...(params ? { params } : {}) })
    return answer
  }

  tell(method: string): void {
    this.#say({ method })
  }

  #say(message: object): void {
    this.#wire.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
}

const ANSWERS: Record<string, object> = {
  'roots/list': { roots: [{ uri: 'file:///tmp', name: 'tmp' }] },
  'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: 'sampled' } },
  'elicitation/create': { action: 'accept', content: { name: 'Ada', check: true } },
}

type Steps = (talk: Conversation) => Promise<string[]>

async function directly(argv: readonly [string, ...string[]], steps: Steps): Promise<string[]> {
  const [command, ...args] = argv
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  const lines = reading(child.stdout)
  const answers = await steps(new Conversation({ write: line => child.stdin.write(line), onLine: lines }))
  child.stdin.end()
  child.kill()
  return answers
}

async function wrapped(argv: readonly [string, ...string[]], steps: Steps): Promise<string[]> {
  const data = mkdtempSync(join(base, 'data-'))
  const { pipes, close } = await startWrap(data, [programSettings(argv)], { hasResultTool: false })
  const { toWrap, fromWrap } = pipes
  const wire = { write: (line: string) => void toWrap.write(line), onLine: reading(fromWrap) }
  const answers = await steps(new Conversation(wire))
  await close()
  return answers
}

function reading(stream: NodeJS.ReadableStream): Wire['onLine'] {
  return listener => {
    const reader = new LineReader(line => listener(line.toString('utf8').trimEnd()))
    stream.on('data', (chunk: Buffer) => reader.push(chunk))
  }
}

async function hello(talk: Conversation): Promise<string> {
  const greeting = await talk.ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: { sampling: {}, elicitation: {}, roots: { listChanged: true } },
    clientInfo: { name: 'differential', version: '1' },
  })
  talk.tell('notifications/initialized')
  // What the server adds for this client is there once it answers.
  for (let times = 0; times < 3; times++) await talk.ask('ping')
  return JSON.stringify(JSON.parse(greeting).result)
}

const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']

/** Times, and numbers of the process, differ between two runs of anything. */
function comparable(line: string): string {
  return line
    .replace(/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} \d+ \d{4} [\d:]+ GMT[^"\\]*/g, 'TIME')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/\b\d{1,2}:\d\d:\d\d [AP]M\b/g, 'TIME')
    .replace(/,"id":\d+\}$/, '}')
    .replace(/,\\n {2}\\"MULLIGAN_TREE\\": \\"[^"]*\\"/, '')
}

async function same(argv: readonly [string, ...string[]], steps: Steps, between = () => {}): Promise<void> {
  const direct = await directly(argv, steps)
  between()
  const through = await wrapped(argv, steps)
  expect(through.length).toBe(direct.length)
  for (const [index, line] of through.entries())
    expect(withoutVerdict(comparable(line)), `answer ${index}`).toBe(comparable(direct[index] as string))
}

/** A failed call has the verdict in its `_meta`, and nothing else that differs. */
function withoutVerdict(line: string): string {
  if (!line.includes('"mulligan":')) return line
  const text = line.replace(/"_meta":\{"mulligan":\{.*?"rule":"[^"]*"\}\}\},/, '')
  expect(JSON.parse(line).result.isError).toBe(true)
  return text
}

const EVERYTHING: Record<string, object> = {
  'get-annotated-message': { messageType: 'error', includeImage: true },
  'get-structured-content': { location: 'Chicago' },
  'get-sum': { a: 2, b: 0.1 },
  'gzip-file-as-resource': { name: 'x.gz', data: 'data:text/plain,hello', outputType: 'resource' },
  'trigger-long-running-operation': { duration: 0.05, steps: 2 },
  'simulate-research-query': { topic: 'x' },
  echo: { message: 'é\u2028 "quoted" \\ 😀' },
}

it('passes on the lists and answers of the everything server unchanged, for all its tools', async () => {
  await same([process.execPath, program('server-everything')], async talk => {
    const answers = [await hello(talk)]
    for (const list of LISTS) answers.push(await talk.ask(list))
    const { tools } = JSON.parse(answers[1] as string).result as { tools: { name: string }[] }
    expect(tools.length).toBeGreaterThan(12)
    for (const { name } of tools) {
      if (/toggle|async|url/.test(name)) continue
      answers.push(await talk.ask('tools/call', { name, arguments: EVERYTHING[name] ?? {} }))
    }
    answers.push(
      await talk.ask('tools/call', { name: 'get-sum', arguments: { a: 'no number' } }),
      await talk.ask('tools/call', { name: 'no such tool', arguments: {} }),
      await talk.ask('prompts/get', { name: 'simple-prompt' }),
      await talk.ask('prompts/get', { name: 'no such prompt' }),
      await talk.ask('resources/read', { uri: 'demo://resource/dynamic/text/1' }),
      await talk.ask('completion/complete', {
        ref: { type: 'ref/prompt', name: 'completable-prompt' },
        argument: { name: 'department', value: 'E' },
      }),
      await talk.ask('logging/setLevel', { level: 'error' }),
      await talk.ask('no/such/method', { a: 1 }),
    )
    expect([...talk.told].filter(method => !method.startsWith('notifications/')).sort()).toEqual(
      expect.arrayContaining(['roots/list']),
    )
    return answers
  })
})

it('passes on the lists and answers of the filesystem server unchanged, for all its tools', async () => {
  const folder = join(base, 'files')
  const prepare = () => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(join(folder, 'inner'), { recursive: true })
    writeFileSync(join(folder, 'a.txt'), 'one\ntwo\nthree\n')
    writeFileSync(join(folder, 'p.png'), Buffer.from('89504e470d0a1a0a', 'hex'))
  }
  prepare()
  const path = (name: string) => ({ path: join(folder, name) })
  const calls: [string, object][] = [
    ['read_file', { ...path('a.txt'), head: 1 }],
    ['read_text_file', path('a.txt')],
    ['read_media_file', path('p.png')],
    ['read_multiple_files', { paths: [join(folder, 'a.txt'), join(folder, 'none')] }],
    ['write_file', { ...path('b.txt'), content: 'b' }],
    ['edit_file', { ...path('b.txt'), edits: [{ oldText: 'b', newText: 'c' }] }],
    ['create_directory', path('made')],
    ['list_directory', path('.')],
    ['list_directory_with_sizes', path('.')],
    ['directory_tree', path('.')],
    ['move_file', { source: join(folder, 'b.txt'), destination: join(folder, 'd.txt') }],
    ['search_files', { ...path('.'), pattern: '*.txt' }],
    ['get_file_info', path('a.txt')],
    ['list_allowed_directories', {}],
    ['read_file', path('none')],
    ['read_file', { path: '/etc/passwd' }],
  ]
  const steps: Steps = async talk => {
    const answers = [await hello(talk)]
    for (const list of LISTS) answers.push(await talk.ask(list))
    const { tools } = JSON.parse(answers[1] as string).result as { tools: { name: string }[] }
    expect(new Set(calls.map(([name]) => name))).toEqual(new Set(tools.map(({ name }) => name)))
    // It takes over the roots of its client in the background, and would refuse in other words until then.
    const allowed = () => talk.ask('tools/call', { name: 'list_allowed_directories', arguments: {} })
    await expect.poll(allowed, { interval: 5 }).toMatch(/directories:\\n\/tmp"/)
    for (const [name, args] of calls) answers.push(await talk.ask('tools/call', { name, arguments: args }))
    return answers
  }
  await same([process.execPath, program('server-filesystem'), folder], steps, prepare)
})

it('passes on the lists and answers of the memory server unchanged, for all its tools', async () => {
  const file = join(base, 'memory.json')
  process.env.MEMORY_FILE_PATH = file
  const entity = { name: 'Ada', entityType: 'person', observations: ['wrote'] }
  const relation = { from: 'Ada', to: 'Ada', relationType: 'knows' }
  const calls: [string, object][] = [
    ['create_entities', { entities: [entity] }],
    ['create_relations', { relations: [relation] }],
    ['add_observations', { observations: [{ entityName: 'Ada', contents: ['counted'] }] }],
    ['read_graph', {}],
    ['search_nodes', { query: 'Ada' }],
    ['open_nodes', { names: ['Ada'] }],
    ['add_observations', { observations: [{ entityName: 'nobody', contents: ['x'] }] }],
    ['delete_observations', { deletions: [{ entityName: 'Ada', observations: ['counted'] }] }],
    ['delete_relations', { relations: [relation] }],
    ['delete_entities', { entityNames: ['Ada'] }],
  ]
  const steps: Steps = async talk => {
    const answers = [await hello(talk)]
    for (const list of LISTS) answers.push(await talk.ask(list))
    const { tools } = JSON.parse(answers[1] as string).result as { tools: { name: string }[] }
    expect(new Set(calls.map(([name]) => name))).toEqual(new Set(tools.map(({ name }) => name)))
    for (const [name, args] of calls) answers.push(await talk.ask('tools/call', { name, arguments: args }))
    return answers
  }
  await same([process.execPath, program('server-memory')], steps, () => rmSync(file, { force: true }))
})
