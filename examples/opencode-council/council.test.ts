import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { opencodeProgram, startOpencode, type TestServer } from '../../scripts/opencode-server.ts'

const MODEL = { providerID: 'lab', modelID: 'claude-lab-1' }
const found: { program?: string; why?: string } = await opencodeProgram()

/** The plugin as one file, in the folder of a user who has installed its imports. */
async function bundled(): Promise<string> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('./council.ts', import.meta.url)),
    platform: 'node',
    resolve: { conditionNames: ['mulligan-source', 'import', 'node'] },
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false } as never)
  return output[0].code
}

describe.skipIf(!found.program)(
  `the council plugin in a real opencode${found.program ? '' : ` (skipped: ${found.why})`}`,
  () => {
    let server: TestServer
    beforeAll(async () => {
      server = await startOpencode(
        found.program as string,
        {
          plugin: [['./council.js', { models: ['lab/claude-lab-2', 'lab/claude-lab-3'], budgetMs: 60_000 }]],
        },
        { 'council.js': await bundled() },
      )
    }, 120_000)
    afterAll(() => server?.close(), 60_000)

    /** Asks the main agent, whose only tool is the council, and returns the output of the tool. */
    async function reviewed(): Promise<string> {
      const { data: session } = await server.client.session.create({ body: { title: 'main' } })
      const { data } = await server.client.session.prompt({
        path: { id: session?.id ?? '' },
        body: {
          model: MODEL,
          tools: { '*': false, council_review: true },
          parts: [{ type: 'text', text: 'have this reviewed' }],
        },
      })
      const { data: messages = [] } = await server.client.session.messages({
        path: { id: session?.id ?? '' },
      })
      const parts = messages.flatMap(message => message.parts) as {
        type: string
        tool?: string
        state?: { output?: string; error?: string }
      }[]
      const tool = parts.find(({ type, tool }) => type === 'tool' && tool === 'council_review')
      return tool?.state?.output ?? tool?.state?.error ?? `no tool was called: ${JSON.stringify(data)}`
    }

    it('asks every model, and returns one answer', async () => {
      server.lab.inject([{ fault: 'tool_loop', model: MODEL.modelID }])
      expect(await reviewed()).toContain('All is well in the lab')
      const models = server.lab.requests.map(({ model }) => model)
      expect(models).toContain('claude-lab-2')
      expect(models).toContain('claude-lab-3')
    }, 120_000)

    it('says at once why it failed if a limit lifts hours later', async () => {
      const limits = ['claude-lab-2', 'claude-lab-3'].map(model => {
        return { fault: 'usage_limit', model, times: 'always' } as const
      })
      server.lab.inject([{ fault: 'tool_loop', model: MODEL.modelID }, ...limits])
      expect(await reviewed()).toMatch(/^Error: the council failed: .*rate limit/s)
    }, 120_000)
  },
)
