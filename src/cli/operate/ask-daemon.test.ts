import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { askDaemon } from './ask-daemon.ts'

const NO_OPENSSL = spawnSync('openssl', ['version']).status !== 0

/** A certificate for a name that this machine does not have. */
function certificate(): { cert: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-ask-'))
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const files = ['-keyout', key, '-out', cert]
  execFileSync('openssl', ['req', '-x509', ...kind, '-subj', '/CN=mulligan.example', ...files], {
    stdio: 'ignore',
  })
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
}

it.skipIf(NO_OPENSSL)(
  'gives the token only to the program that has the certificate, under whatever name',
  async () => {
    const own = certificate()
    const tokens: (string | undefined)[] = []
    const server = createServer(own, ({ headers }, answer) => {
      tokens.push(headers.authorization)
      answer.writeHead(201).end('{}')
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const url = `https://0.0.0.0:${(server.address() as AddressInfo).port}`
    const request = { url, path: '/v1/sign_in_codes', token: 'secret' }
    try {
      expect(await askDaemon({ ...request, cert: own.cert })).toEqual({ status: 201, text: '{}' })
      await expect(askDaemon({ ...request, cert: certificate().cert })).rejects.toThrow('self-signed')
      expect(tokens).toEqual(['Bearer secret'])
    } finally {
      server.close()
    }
  },
)
