import { MODEL_API_NAMES } from '../../src/config/model-apis.ts'
import { Holds } from '../../src/gateway/proxy/holds.ts'
import { ModelProxy } from '../../src/gateway/proxy/model-proxy.ts'
import { patientSend } from '../../src/gateway/proxy/patient-send.ts'
import { Upstreams } from '../../src/gateway/proxy/upstream.ts'
import { Health } from '../../src/provider/health.ts'
import { realTime } from '../../src/time/time.ts'

/** A proxy in front of one address, which counts what it is asked and what it sends. */
export interface CountingProxy {
  url: string
  /** Questions of clients. */
  asked: () => number
  /** Questions sent on, second tries among them. */
  sent: () => number
  holds: Holds
  stop: () => Promise<void>
}

export async function startCountingProxy(upstream: string, maxHoldMs: number): Promise<CountingProxy> {
  const health = new Health({ time: realTime })
  const holds = new Holds()
  const send = await patientSend()
  let asked = 0
  let sent = 0
  const proxy = new ModelProxy({
    port: 0,
    maxBodyBytes: 64_000_000,
    maxConnections: 1_000,
    maxHoldMs,
    upstreams: new Upstreams(
      MODEL_API_NAMES.map(api => ({ id: api, api, baseURL: upstream, modelNames: {}, models: [] })),
      'key of hashes',
    ),
    holds,
    options: { health, time: realTime },
    send: (url, init) => {
      if (init.method === 'POST') sent++
      return send(url, init)
    },
    time: realTime,
    newId: () => `hold-${++asked}`,
    isToken: () => false,
    release: provider => health.reset(provider),
    onError: () => undefined,
  })
  await proxy.start()
  return {
    url: proxy.url as string,
    asked: () => asked,
    sent: () => sent,
    holds,
    stop: () => proxy.stop(),
  }
}
