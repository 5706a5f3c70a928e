import { Holds } from '../../../src/gateway/proxy/holds.ts'
import { ModelProxy, type ProxyOptions } from '../../../src/gateway/proxy/model-proxy.ts'
import { patientSend } from '../../../src/gateway/proxy/patient-send.ts'
import { type Upstream, Upstreams } from '../../../src/gateway/proxy/upstream.ts'
import { Health } from '../../../src/provider/health.ts'
import { realTime, type Time } from '../../../src/time/time.ts'

export const TOKEN = 'mlg_test-token'

/** An upstream with Anthropic's API at this address. */
export function anthropicAt(baseURL: string, more: Partial<Upstream> = {}): Upstream {
  return { id: 'first', api: 'anthropic', baseURL, modelNames: {}, models: [], ...more }
}

/** Starts a proxy for a test. */
export async function startProxy(
  upstreams: readonly Upstream[],
  more: Partial<ProxyOptions> & { time?: Time } = {},
) {
  const { time = realTime } = more
  const health = new Health({ time })
  const holds = new Holds()
  let ids = 0
  const errors: unknown[] = []
  const proxy = new ModelProxy({
    port: 0,
    maxBodyBytes: 1_000_000,
    maxConnections: 100,
    upstreams: new Upstreams(upstreams, 'key of hashes'),
    holds,
    options: { health, time, random: () => 0 },
    send: await patientSend(),
    time,
    newId: () => `hold-${++ids}`,
    isToken: text => text === TOKEN,
    release: provider => health.reset(provider),
    onError: error => errors.push(error),
    ...more,
  })
  await proxy.start()
  return { proxy, health, holds, errors, url: proxy.url as string }
}
