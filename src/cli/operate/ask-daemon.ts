import { request as requestPlainly } from 'node:http'
import { request as requestOverTls } from 'node:https'

/** Longest time for the daemon to answer, in milliseconds. */
const ANSWER_WITHIN_MS = 10_000
/** Addresses that mean "every address of this machine", and one of them that can be connected to. */
const ANY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }

/** A request to the daemon of this machine. */
export interface DaemonRequest {
  /** Where the daemon listens. */
  url: string
  path: string
  token: string
  /** Sent as JSON. Default none. */
  body?: unknown
  /**
   * The daemon's certificate. Nobody else may get the token, so over TLS the answering program must have exactly this one;
   * the name in it may be that of a host that only other machines use. Undefined without TLS.
   */
  cert: string | undefined
}

/** Posts to the daemon. Resolves with its answer. Rejects if it does not answer. */
export function askDaemon({ url, path, token, cert, body }: DaemonRequest): Promise<{
  status: number
  text: string
}> {
  const at = new URL(path, url)
  at.hostname = ANY_ADDRESS[at.hostname] ?? at.hostname
  const options = {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  }
  const trust = { ca: cert, allowPartialTrustChain: true, checkServerIdentity: () => undefined }
  return new Promise((resolve, reject) => {
    const sent =
      at.protocol === 'https:' ? requestOverTls(at, { ...options, ...trust }) : requestPlainly(at, options)
    sent.on('error', reject)
    sent.on('response', answer => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      )
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
