import { expect, it } from 'vitest'
import { anthropicAt, startProxy } from '../../test/gateway/proxy/proxy.ts'
import { fastTime } from '../fast-time.ts'
import { soak } from './hours.ts'
import { runStreams } from './streams.ts'
import { startVendor } from './vendor.ts'

it('eight hours with providers that fail and recover lose no operation', async () => {
  const report = await soak({ operations: 1_500, hours: 8 })
  expect(report).toMatchObject({ submitted: 1_500, succeeded: 1_500, lost: 0, findings: 0 })
  // Most operations that could not run were held, not tried.
  expect(report.held).toBeGreaterThan(60)
  expect(report.refused).toBeLessThan(report.held)
})

it('forty streams at once, one in ten with a fault and one vendor gone, come whole and unmixed', async () => {
  const vendors = [await startVendor({ wordMs: 1 }), await startVendor({ wordMs: 1 })] as const
  const upstreams = vendors.map(({ url }, at) => anthropicAt(url, { id: `vendor-${at}`, key: () => 'k' }))
  const { proxy, url, errors } = await startProxy(upstreams, {
    isToken: text => text === 'k',
    maxConnections: 1_000,
    time: fastTime(Date.now(), 20),
  })
  try {
    let asked = 0
    let gone: Promise<void> | undefined
    let killed = 0
    const report = await runStreams({
      url,
      streams: 40,
      faults: 0.1,
      random: () => ((++asked * 7919) % 1_000) / 1_000,
      goesOn: () => {
        if (asked > 80 && !gone) {
          killed = Date.now()
          gone = vendors[0].close()
        }
        return asked < 160
      },
      killedAt: () => ({ proxy: 0, vendor: killed }),
    })
    await gone
    expect(report).toMatchObject({ mixed: 0, cutByUs: 0, failed: 0, proxyAway: 0, examples: [] })
    expect(report.whole).toBeGreaterThan(60)
    expect(errors).toEqual([])
  } finally {
    await proxy.stop()
    await Promise.all(vendors.map(vendor => vendor.close()))
  }
})
