import { type OpenProxy, openProxy, type ProxyHost } from '../gateway/proxy/from-config.ts'
import { CallUnknowns, type CallUnknownsOptions } from '../ledger/call-unknowns.ts'
import type { Logger } from './log.ts'

/** What the daemon gives its proxy. */
export interface ProxyDoorDeps extends Pick<ProxyHost, 'folder' | 'env' | 'time' | 'inForce'> {
  ledger: CallUnknownsOptions['ledger'] & ProxyHost['ledger']
  log: Logger
}

/** Starts the model proxy of the config in force. Returns undefined if it has none. */
export async function openProxyDoor({ ledger, log, ...host }: ProxyDoorDeps): Promise<OpenProxy | undefined> {
  const { proxy, queue } = host.inForce().loaded.config
  if (!proxy.enabled) return undefined
  const own = log.child({ component: 'proxy' })
  const onError = (error: unknown) => own.error({ err: error }, 'a request could not be answered')
  const unknowns = new CallUnknowns({ ledger: queue.recordUnknowns ? ledger : undefined, onError })
  const opened = await openProxy(proxy, {
    ...host,
    ledger,
    pid: process.pid,
    onFailed: (failed, client) => {
      unknowns.onEvent(failed)
      const { provider, failure, verdict } = failed
      own.warn({ client, provider, kind: failure.kind, verdict: verdict.action }, failure.message)
    },
    onError,
  })
  own.info({ url: opened.url }, `agents can use ${opened.url}; to set one up: mulligan proxy env CLIENT`)
  return {
    ...opened,
    stop: async () => {
      await opened.stop()
      await unknowns.written()
    },
  }
}
