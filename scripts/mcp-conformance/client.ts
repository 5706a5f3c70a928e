import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

/*
 * The client that the conformance suite watches: the official one, which speaks to the suite's server directly or through the
 * wrap, and calls all that the server has.
 *
 * node client.ts direct|wrap FOLDER URL
 */

const COMMAND = fileURLToPath(new URL('../../bin/mulligan.js', import.meta.url))
const [way, folder = '.', url = ''] = process.argv.slice(2)
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ''
const revision = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? ''
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as { toolCalls?: ToolCall[] }

interface ToolCall {
  name: string
  arguments: Record<string, unknown>
}

interface Schema {
  properties?: Record<string, { type?: string }>
}

const transport =
  way === 'direct'
    ? new StreamableHTTPClientTransport(new URL(url))
    : new StdioClientTransport({
        command: process.execPath,
        args: [COMMAND, 'mcp', 'wrap', '--no-extra-tool', '--data', folder, url],
        env: process.env as Record<string, string>,
        stderr: 'inherit',
      })
const client = new Client(
  { name: 'conformance', version: '1.0.0' },
  {
    capabilities: { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} },
    ...(revision === '2026-07-28' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}),
  },
)
client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }))
client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///tmp', name: 'tmp' }] }))
client.setRequestHandler('sampling/createMessage', () => ({
  model: 'none',
  role: 'assistant',
  content: { type: 'text', text: 'Paris' },
}))

/** Plain values for all arguments of a tool. */
function argumentsFor({ properties = {} }: Schema): Record<string, unknown> {
  const plain: Record<string, unknown> = { number: 1, integer: 1, boolean: true, string: 'text', object: {} }
  return Object.fromEntries(Object.entries(properties).map(([name, { type = '' }]) => [name, plain[type]]))
}

/** Whatever fails, the next is tried: what counts is what the suite saw. */
async function tried(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    const answer = await work()
    process.stderr.write(`${what}: ${JSON.stringify(answer)?.slice(0, 200)}\n`)
  } catch (error) {
    process.stderr.write(`${what}: ${(error as Error).message}\n`)
  }
}

await client.connect(transport)
const { tools } = await client.listTools()
const focal = tools.find(({ name }) => name === 'json_schema_2020_12_tool')
const calls: ToolCall[] =
  context.toolCalls ??
  tools.map(({ name, inputSchema }) => ({
    name,
    arguments:
      focal && name !== focal.name
        ? { schema: focal.inputSchema }
        : argumentsFor(inputSchema as unknown as Schema),
  }))
for (const call of calls) await tried(call.name, () => client.callTool(call))
if (scenario.startsWith('http-')) {
  await tried('resources/list', () => client.listResources())
  await tried('resources/read', () => client.readResource({ uri: 'file:///path/to/file%20name.txt' }))
  await tried('prompts/list', () => client.listPrompts())
  await tried('prompts/get', () => client.getPrompt({ name: 'test_prompt' }))
}
await client.close()
process.exit(0)
