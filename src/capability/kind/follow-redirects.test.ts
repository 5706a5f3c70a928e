import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testContext } from '../../../test/capability/context.ts'
import { httpCapability } from './http-capability.ts'

const seen: { host: string; request: IncomingMessage; body: string }[] = []
const servers: Server[] = []

async function listen(name: string, target: (path: string) => string | undefined): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => {
      body += chunk
    })
    request.on('end', () => {
      seen.push({ host: name, request, body })
      const to = target(request.url ?? '/')
      response.writeHead(to === undefined ? 200 : 302, to === undefined ? {} : { location: to })
      response.end('done')
    })
  })
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

let home: string
let elsewhere: string
beforeAll(async () => {
  elsewhere = await listen('elsewhere', path => (path === '/back' ? `${home}/end` : undefined))
  home = await listen('home', path =>
    path === '/out'
      ? `${elsewhere}/x`
      : path === '/round'
        ? `${elsewhere}/back`
        : path === '/here'
          ? '/end'
          : path === '/loop'
            ? '/loop'
            : undefined,
  )
})
afterAll(() => {
  for (const server of servers) server.close()
})

const headers = { authorization: 'Bearer {env:TOKEN}', 'x-api-key': 'env:TOKEN', cookie: 'a=b' }
const context = testContext({ env: { TOKEN: 'sesame' } })
const get = (path: string) =>
  httpCapability({ name: 'x', method: 'GET', url: `${home}${path}`, headers }).run({}, context)
const sent = () =>
  seen
    .splice(0)
    .map(({ host, request }) => [
      host,
      request.headers.authorization,
      request.headers['x-api-key'],
      request.headers.cookie,
    ])

describe('a redirect', () => {
  it('to the same origin keeps the headers', async () => {
    await get('/here')
    expect(sent()).toEqual([
      ['home', 'Bearer sesame', 'sesame', 'a=b'],
      ['home', 'Bearer sesame', 'sesame', 'a=b'],
    ])
  })

  it('to another host drops all headers from the config', async () => {
    await get('/out')
    expect(sent()).toEqual([
      ['home', 'Bearer sesame', 'sesame', 'a=b'],
      ['elsewhere', undefined, undefined, undefined],
    ])
  })

  it('does not get them back when redirected to the first host', async () => {
    await get('/round')
    expect(sent().at(-1)).toEqual(['home', undefined, undefined, undefined])
  })

  it('that loops ends', async () => {
    await expect(get('/loop')).rejects.toThrow('redirected more than 10 times')
    seen.splice(0)
  })
})

describe('a form', () => {
  it('contains each parameter encoded, and leaves out missing ones', async () => {
    const work = httpCapability({
      name: 'x',
      url: `${home}/form`,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body: 'to={to}&note={note}&kind=plain&later={later}',
      params: { to: {}, note: {}, later: { required: false } },
    })
    await work.run({ to: 'ann&admin=1', note: 'a=b +ä%' }, context)
    const [{ body } = { body: '' }] = seen.splice(0)
    expect(body).toBe('to=ann%26admin%3D1&note=a%3Db%20%2B%C3%A4%25&kind=plain')
    expect([...new URLSearchParams(body)]).toEqual([
      ['to', 'ann&admin=1'],
      ['note', 'a=b +ä%'],
      ['kind', 'plain'],
    ])
  })
})
