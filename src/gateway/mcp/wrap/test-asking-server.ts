import { Server as OldServer } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

/*
 * A server of one era of the official packages, whose tools ask their client, show progress, and change the list of tools.
 *
 * node test-asking-server.ts session|stateless
 */

const [era] = process.argv.slice(2)
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
      { name: 'change', inputSchema },
    ],
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    if (params.name === 'change') {
      await server.sendToolListChanged()
      return { content: [{ type: 'text', text: 'changed' }] }
    }
    const first = await server.elicitInput(question)
    const second = await server.elicitInput(question)
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
