import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { FAULTS, type Fault, GOOD, type Step, whole } from './faults.ts'
import { ANSWER, VENDORS, type Vendor } from './vendors.ts'

const BY_NAME = new Map([...FAULTS, ...GOOD].map(fault => [slug(fault.name), fault]))

/** The first folder of a URL says which fault strikes. */
export function slug(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}

/** A server that fails as its URL says, in the shape of the vendor that is asked. */
export async function faultServer() {
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const path = (request.url ?? '').split('?')[0] as string
    const vendor = Object.values(VENDORS).find(vendor => vendor.serves(path))
    const fault = BY_NAME.get(path.split('/')[1] ?? '')
    if (!vendor || !fault) {
      response.writeHead(500).end(`no such fault or vendor: ${path}`)
      return
    }
    const isStream = path.includes(':stream') || /"stream":\s*true/.test(body)
    await play(stepsOf(fault, vendor, isStream), response)
  })
  server.keepAliveTimeout = 1
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url, close }
}

function stepsOf(fault: Fault, vendor: Vendor, isStream: boolean): readonly Step[] {
  if (fault.of === 'good' && !isStream) return whole(200, vendor.whole(ANSWER, fault.finish ?? 'stop'))
  return fault.steps(vendor)
}

async function play(steps: readonly Step[], response: ServerResponse): Promise<void> {
  for (const step of steps) {
    if (step === 'hang') return
    if (step === 'end') response.end()
    else if (step === 'reset') response.destroy()
    else if ('head' in step) {
      response.writeHead(step.head.status, step.head.headers)
      response.flushHeaders()
    } else response.write(step.write)
    // Each event in a piece of its own, as a model's words come.
    await new Promise(resolve => setTimeout(resolve, 2))
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const piece of request) body += piece
  return body
}
