import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { realTime } from '../time/time.ts'
import { lookAtConnection } from './connection-look.ts'
import { runAgent } from './run-agent.ts'

const folder = mkdtempSync(join(tmpdir(), 'mulligan-look-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise(resolve => server.close(resolve))
})

async function portOf(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Speaks no TLS, so every https address of it fails as a wrong certificate does. */
const plainPort = () =>
  portOf(
    createServer(socket => {
      socket.on('error', () => {})
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n', () => socket.destroy())
    }),
  )

const look = (address: string, env: Record<string, string> = {}) =>
  lookAtConnection(address, {
    provider: 'gemini',
    env,
    trusts: 'node',
    cwd: folder,
    time: realTime,
    signal: undefined,
  })

describe('a look at a connection that a CLI could not make', () => {
  it('finds what is wrong with its encryption, and says what to do', async () => {
    const address = `https://127.0.0.1:${await plainPort()}`
    const failure = await look(`${address}/v1beta?key=secret`)
    expect(failure).toMatchObject({ class: 'permanent', kind: 'tls' })
    expect(failure?.message).toContain(`no connection to ${address}: `)
    expect(failure?.message).toContain('NODE_EXTRA_CA_CERTS')
    expect(failure?.message).not.toContain('secret')
  })

  it('finds the login that a proxy asks for', async () => {
    const server = createHttpServer()
    const asked: (string | undefined)[] = []
    server.on('connect', ({ url }, socket) => {
      asked.push(url)
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n', () =>
        socket.destroy(),
      )
    })
    const proxy = `http://127.0.0.1:${await portOf(server)}`
    const failure = await look('https://api.lab.example/v1', { HTTPS_PROXY: proxy })
    expect(failure).toMatchObject({ class: 'permanent', kind: 'auth' })
    expect(failure?.message).toContain('HTTPS_PROXY')
    expect(asked).toEqual(['api.lab.example:443'])
  })

  it('finds nothing where the address answers, is gone, or is none', async () => {
    const methods: (string | undefined)[] = []
    const server = createHttpServer(({ method, url, headers }, response) => {
      methods.push(`${method} ${url} ${headers.authorization}`)
      response.writeHead(404).end()
    })
    const port = await portOf(server)
    expect(await look(`http://127.0.0.1:${port}/v1/models`)).toBeUndefined()
    expect(methods).toEqual(['HEAD / undefined'])
    await new Promise(resolve => servers.pop()?.close(resolve))
    expect(await look(`http://127.0.0.1:${port}`)).toBeUndefined()
    expect(await look('not an address')).toBeUndefined()
  })
})

describe('a run that says only that nothing was fetched', () => {
  const gemini = join(folder, 'gemini')
  const said = { type: 'unknown', message: '[API Error: exception TypeError: fetch failed sending request]' }
  writeFileSync(
    gemini,
    `#!/bin/sh\ncat >/dev/null\necho '${JSON.stringify({ type: 'result', status: 'error', error: said })}'\nexit 1\n`,
  )
  chmodSync(gemini, 0o700)
  const runAt = (url: string) =>
    runAgent(
      { id: 'mine', cli: 'gemini', binary: gemini },
      { prompt: 'hi' },
      { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, GOOGLE_GEMINI_BASE_URL: url } },
    )

  it('ends with the cause that its CLI hides', async () => {
    const outcome = await runAt(`https://127.0.0.1:${await plainPort()}`)
    expect(outcome).toMatchObject({
      ok: false,
      failure: { class: 'permanent', kind: 'tls', provider: 'mine', exitCode: 1 },
    })
  })

  it('stays a lost connection where the address can be reached', async () => {
    const port = await portOf(createHttpServer((_request, response) => response.end()))
    expect(await runAt(`http://127.0.0.1:${port}`)).toMatchObject({
      ok: false,
      failure: { class: 'transient', kind: 'network' },
    })
  })
})
