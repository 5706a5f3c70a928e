import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import { z } from 'zod'
import {
  capabilityConformance,
  verificationConformance,
} from '../../test/capability/capability.conformance.ts'
import type { WorkContext } from './context.ts'
import { defineCapability } from './define.ts'
import { agentCapability } from './kind/agent-capability.ts'
import { commandCapability } from './kind/command-capability.ts'
import { httpCapability } from './kind/http-capability.ts'

let server: Server
let origin: string

/** Does what the last part of the URL says. */
beforeAll(async () => {
  server = createServer(({ url = '', headers }, response) => {
    if (url === '/tell') response.end(`${headers['idempotency-key']}/${headers['mulligan-run']}`)
    else if (url === '/done') response.end()
    else if (url === '/absent') response.writeHead(404).end()
    else if (url !== '/hang') response.writeHead(503).end('overloaded')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  return new Promise(resolve => server.close(resolve))
})

const overloaded = () => Object.assign(new Error('Overloaded'), { status: 529 })
const params = z.object({})

/** Work as code: for a function, and for what runs behind an agent. */
const works = {
  tell: async ({ idempotencyKey, run }: WorkContext) => `${idempotencyKey}/${run}`,
  fail: () => Promise.reject(overloaded()),
  hang: ({ signal }: WorkContext) =>
    new Promise<string>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    }),
}

const programs = {
  tell: 'process.stdout.write(process.env.MULLIGAN_IDEMPOTENCY_KEY + "/" + process.env.MULLIGAN_RUN)',
  fail: 'console.error("503 Service overloaded"); process.exit(1)',
  hang: 'setInterval(() => {}, 1e6)',
  done: '',
  absent: 'process.exit(1)',
  unsure: 'process.exit(2)',
}
const node = (program: keyof typeof programs) => [process.execPath, '-e', programs[program]]

capabilityConformance('function', behaviour =>
  defineCapability({
    retry: 'none',
    name: 'x',
    params,
    run: (_params, context) => works[behaviour](context),
  }),
)
capabilityConformance('command', behaviour =>
  commandCapability({ retry: 'none', name: 'x', argv: node(behaviour) }),
)
capabilityConformance('http', behaviour => httpCapability({ name: 'x', url: `${origin}/${behaviour}` }))
capabilityConformance('agent', behaviour =>
  agentCapability({ name: 'x', prompt: 'go', runAgent: (_request, context) => works[behaviour](context) }),
)

const first = { name: 'x', retry: 'verify_first' as const }

verificationConformance('function', (behaviour, timeoutMs) =>
  defineCapability({
    ...first,
    params,
    verify: {
      check: () => (behaviour === 'hang' ? new Promise<boolean>(() => {}) : behaviour),
      timeoutMs,
    },
    run: () => 1,
  }),
)
verificationConformance('command', (behaviour, timeoutMs) =>
  commandCapability({ ...first, argv: ['true'], verify: { command: { argv: node(behaviour) }, timeoutMs } }),
)
verificationConformance('http', (behaviour, timeoutMs) =>
  httpCapability({
    ...first,
    url: origin,
    verify: { http: { url: `${origin}/${behaviour}` }, timeoutMs },
  }),
)
