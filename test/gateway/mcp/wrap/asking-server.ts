import { writeFileSync } from 'node:fs'
import { Server as OldServer } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

/*
 * A server of one era of the official packages, whose tools ask their client, show progress, and change the list of tools.
 *
 * node asking-server.ts session|stateless [FILE]
 *
 * FILE is written when a call of ask_and_wait is given up.
 */

const [era, file = ''] = process.argv.slice(2)
const question = {
  mode: 'form' as const,
  message: 'What is your name?',
  requestedSchema: {
    type: 'object' as const,
    properties: { name: { type: 'string' as const } },
    required: ['name'],
  },
}

if (era === 'session') {
  const server = new OldServer(
    { name: 'asking', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, logging: {} } },
  )
  const inputSchema = { type: 'object' as const, properties: {} }
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      { name: 'ask', inputSchema },
      { name: 'ask_at_once', inputSchema },
      { name: 'ask_and_wait', inputSchema },
      { name: 'change', inputSchema },
    ],
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    if (params.name === 'change') {
      await server.sendToolListChanged()
      return { content: [{ type: 'text', text: 'changed' }] }
    }
    const ask = () => server.elicitInput(question)
    if (params.name === 'ask_and_wait') {
      await ask()
      // The answer and the end of the call may come together.
      if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve))
      writeFileSync(file, '')
    }
    const isAtOnce = params.name === 'ask_at_once'
    const [first, second] = isAtOnce ? await Promise.all([ask(), ask()]) : [await ask(), await ask()]
    return {
      content: [{ type: 'text', text: `${String(first.content?.name)} and ${String(second.content?.name)}` }],
    }
  })
  await server.connect(new StdioServerTransport())
} else {
  const { inputRequired, acceptedContent } = await import('@modelcontextprotocol/server')
  serveStdio(
    () => {
      const server = new McpServer(
        { name: 'asking', version: '1.0.0' },
        { capabilities: { tools: { listChanged: true } } },
      )
      server.registerTool('ask', { inputSchema: z.object({}) }, (_args, context) => {
        const named = acceptedContent(context.mcpReq.inputResponses, 'who', z.object({ name: z.string() }))
        if (named) return { content: [{ type: 'text', text: `hello ${named.name}` }] }
        return inputRequired({ inputRequests: { who: inputRequired.elicit(question) } })
      })
      server.registerTool('change', { inputSchema: z.object({}) }, () => {
        server.sendToolListChanged()
        return { content: [{ type: 'text', text: 'changed' }] }
      })
      return server
    },
    { legacy: 'reject' },
  )
}
