import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestApi } from '../../../test/gateway/http/api.ts'
import { NAV } from '../../../web/src/route/nav.ts'

let api: TestApi
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-web-'))
  mkdirSync(join(folder, 'web', 'assets'), { recursive: true })
  writeFileSync(join(folder, 'secret.js'), 'secret')
  writeFileSync(join(folder, 'web', 'built-from'), 'secret')
  writeFileSync(join(folder, 'web', 'index.html'), '<!doctype html><title>Mulligan</title>')
  writeFileSync(join(folder, 'web', 'assets', 'index-abc.js'), 'export {}')
  api = await TestApi.start({ dashboard: join(folder, 'web') })
})
afterAll(() => api.close())

/** Sends a request line as it is, which fetch would tidy up. */
function raw(path: string, host = new URL(api.url).host): Promise<string> {
  const { port, hostname } = new URL(api.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.end(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    )
    let text = ''
    socket.on('data', data => {
      text += data
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
  })
}

describe('the dashboard', () => {
  it('is one page under every path of a view, for whoever asks', async () => {
    const views = NAV.map(({ name }) => `/${name}`)
    for (const path of [...views, '/operations/op_1', '/unknowns/fp1:a', '/sign-in']) {
      const { status, json, headers } = await api.send(path, { token: null })
      expect([path, status, json]).toEqual([path, 200, '<!doctype html><title>Mulligan</title>'])
      expect(headers.get('cache-control')).toBe('no-cache')
    }
    const elsewhere = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    expect((await api.send('/operations/op_1', { token: null, headers: elsewhere })).status).toBe(200)
    expect((await api.send('/v1/status', { headers: elsewhere })).status).toBe(403)
  })

  it('tells a person who mistyped an address on a page, and a program by a problem', async () => {
    const headers = { accept: 'text/html,*/*' }
    const person = await fetch(`${api.url}/operatoins`, { headers })
    expect([person.status, await person.text()]).toEqual([404, '<!doctype html><title>Mulligan</title>'])
    expect((await fetch(`${api.url}/operatoins`)).headers.get('content-type')).toContain('json')
    // No route is hidden behind that page, also where a browser opens it.
    for (const { path } of api.gateway.routes) {
      const answer = await fetch(`${api.url}${path.replaceAll(/\{\w+\}/g, 'x')}`, { headers, method: 'HEAD' })
      expect(answer.headers.get('content-type') ?? '', path).not.toContain('html')
    }
  })

  it('runs nothing but its own files, and nobody frames it', async () => {
    const { headers } = await api.send('/', { token: null })
    const policy = headers.get('content-security-policy') as string
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    // Answers of the API stay as strict as they were.
    expect((await api.send('/v1/status')).headers.get('content-security-policy')).not.toContain('script-src')
  })

  it('has files that a browser may keep for ever, and says when it has them already', async () => {
    const { status, headers } = await api.send('/assets/index-abc.js', { token: null })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(headers.get('content-encoding')).toBe('gzip')
    const etag = headers.get('etag') as string
    const again = await api.send('/assets/index-abc.js', { token: null, headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })

  it('gives nothing but its files, whatever the path tries', async () => {
    const paths = [
      '/assets/../../secret.js',
      '/assets/..%2f..%2fsecret.js',
      '/assets/%2e%2e/%2e%2e/secret.js',
      '/assets/..\\..\\secret.js',
      '/assets//etc/passwd',
      '/built-from',
      '/assets/../built-from',
      '/assets/index-abc.js%00.html',
      '/assets/',
      '/assets/missing.js',
      '/operations/../../secret.js',
      '//etc/passwd',
    ]
    for (const path of paths) expect(await raw(path), path).not.toContain('secret\n')
    for (const path of paths) expect(await raw(path), path).not.toMatch(/\r\n\r\nsecret|root:/)
    expect(await raw('/assets/missing.js')).toMatch(/^HTTP\/1.1 401/)
  })

  it('is not for another host', async () => {
    expect(await raw('/', 'evil.example')).toMatch(/^HTTP\/1.1 403/)
  })

  it('takes nothing but GET and HEAD', async () => {
    expect((await api.send('/', { method: 'POST', token: null })).status).toBe(401)
    expect((await api.send('/', { method: 'HEAD', token: null })).status).toBe(200)
  })

  it('says how to build it where it is not built', async () => {
    const bare = await TestApi.start({ dashboard: '/nowhere' })
    const { status, json } = await bare.send('/', { token: null })
    expect(status).toBe(503)
    expect(json).toContain('npm run build')
    await bare.close()
  })
})
