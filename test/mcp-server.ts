import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import type { Capability } from '../src/capability/capability.ts'
import { loadConfig } from '../src/config/load.ts'
import { Previews } from '../src/gateway/http/previews.ts'
import { AskingAgain } from '../src/gateway/mcp/asking-again.ts'
import { mcpServerOf } from '../src/gateway/mcp/server/server.ts'
import { type Rights, Told } from '../src/gateway/mcp/server/tool.ts'
import type { NodeHealth } from '../src/process/node-health.ts'
import type { OpenedQueue } from '../src/queue/open.ts'
import { FakeTime } from '../src/testing/core/fake-time.ts'
import { testQueue } from '../src/testing/test-queue.ts'
import { declaredWorkflows } from '../src/workflow/from-config.ts'
import type { Workflow } from '../src/workflow/workflow.ts'

/** The answer of a tool. */
export interface Answered {
  isError: boolean
  /** Its whole text. */
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON
  json: any
}

/** An MCP server with a queue in memory on a fake clock, connected to the official client. For tests. */
export class TestServer {
  readonly queue: OpenedQueue
  readonly time: FakeTime
  readonly client: Client
  /** Unexpected errors. */
  readonly errors: unknown[]

  private constructor(queue: OpenedQueue, time: FakeTime, client: Client, errors: unknown[]) {
    this.queue = queue
    this.time = time
    this.client = client
    this.errors = errors
  }

  static async start({
    capabilities = [],
    workflows: given = [],
    session = 'agent-1',
    ...rights
  }: Partial<Rights> & {
    capabilities?: readonly Capability[]
    workflows?: readonly Workflow<never>[]
    session?: string | null
  } = {}): Promise<TestServer> {
    const time = new FakeTime()
    const folder = mkdtempSync(join(tmpdir(), 'mulligan-mcp-'))
    const { queue } = await testQueue({
      capabilities,
      time,
      resultFolder: join(folder, 'results'),
      workflows: given as readonly Workflow[],
    })
    const loaded = loadConfig({ env: { HOME: folder }, cwd: folder })
    const workflows = declaredWorkflows(loaded)
    for (const workflow of given) workflows.add(workflow as Workflow, 'the test')
    const errors: unknown[] = []
    let tokens = 0
    const server = mcpServerOf({
      host: {
        facilities: {
          current: () => ({ loaded, queue, health: queue.health as NodeHealth, workflows }),
          ledger: queue.ledger,
          folder,
          env: {},
          time,
        },
        previews: new Previews(time, () => `token-${++tokens}`),
        runsHere: true,
        answered: new Told(),
        shown: new Told(),
        askingAgain: new AskingAgain(),
      },
      rights: { readOnly: false, allowLabel: false, asPerson: false, ...rights },
      version: '1.2.3',
      sessionOf: async () => session ?? undefined,
      onError: error => errors.push(error),
    })
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    const client = new Client({ name: 'tester', version: '1' })
    await Promise.all([server.connect(ours), client.connect(theirs)])
    return new TestServer(queue, time, client, errors)
  }

  /** Calls a tool and moves the clock until it has answered. */
  async call(name: string, given: Record<string, unknown> = {}): Promise<Answered> {
    return this.time.until(this.callAtOnce(name, given))
  }

  /** Calls a tool without moving the clock. */
  async callAtOnce(name: string, given: Record<string, unknown> = {}): Promise<Answered> {
    const result = await this.client.callTool({ name, arguments: given })
    const text = result.content.map(part => (part.type === 'text' ? part.text : '')).join('')
    return { isError: result.isError === true, text, json: result.structuredContent }
  }

  async close(): Promise<void> {
    await this.client.close()
    await this.queue.close()
  }
}
