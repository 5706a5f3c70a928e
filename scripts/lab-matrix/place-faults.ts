import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Expectation } from '../../lab/fault/fault.ts'
import { run } from '../../src/process/run.ts'
import { quietly } from '../../src/time/clean-up.ts'

/** A fault of the address: the CLI finds no vendor there. */
export interface PlaceFault {
  summary: string
  expected: Expectation
  /** Opens the address that the CLI is pointed at. */
  open(): Promise<Place>
}

export interface Place {
  url: string
  /** More variables of the CLI, such as those of a proxy. */
  env?: Record<string, string>
  /** Number of connections, where something listens. */
  calls?(): number
  close(): Promise<void>
}

/** Faults on the way to the vendor, before any request is made. */
export const PLACE_FAULTS = {
  no_such_host: {
    summary: "the vendor's host name cannot be resolved",
    expected: { class: 'transient', kind: 'dns' },
    open: async () => ({ url: 'http://api.lab.invalid', close: async () => {} }),
  },
  not_listening: {
    summary: 'the connection is refused',
    expected: { class: 'transient', kind: 'network' },
    open: async () => {
      const server = createHttpServer()
      const url = `http://127.0.0.1:${await portOf(server)}`
      await closed(server)
      return { url, close: async () => {} }
    },
  },
  self_signed: {
    summary: 'the certificate is self-signed',
    expected: { class: 'permanent', kind: 'tls' },
    open: async () => {
      const server = createServer(await selfSigned(), (_request, response) => response.end('{}'))
      let calls = 0
      server.on('connection', () => calls++)
      return {
        url: `https://127.0.0.1:${await portOf(server)}`,
        calls: () => calls,
        close: () => closed(server),
      }
    },
  },
} satisfies Record<string, PlaceFault>

function portOf(server: Server): Promise<number> {
  return new Promise(resolve =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  )
}

function closed(server: Server & { closeAllConnections(): void }): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

async function selfSigned(): Promise<{ key: Buffer; cert: Buffer }> {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-lab-tls-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  try {
    const made = await run({
      argv: ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1']
        .concat(['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'])
        .concat(['-keyout', key, '-out', cert]) as [string, ...string[]],
    })
    if (made.exitCode !== 0) throw new Error(`openssl made no certificate: ${made.stderr}`)
    return { key: readFileSync(key), cert: readFileSync(cert) }
  } finally {
    void quietly(() => rmSync(folder, { recursive: true, force: true }))
  }
}
