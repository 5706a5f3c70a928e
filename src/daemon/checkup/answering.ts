import { get as getPlainly } from 'node:http'
import { get as getOverTls } from 'node:https'
import { type DaemonFinding, trouble, well } from './finding.ts'

/** Longest time for the daemon to answer, in milliseconds. */
const ANSWER_WITHIN_MS = 5_000

/** Whether a daemon answers over HTTP. Nothing secret is sent, so its certificate does not matter. */
export async function checkAnswering(url: string, signal: AbortSignal): Promise<DaemonFinding> {
  try {
    const status = await statusOf(new URL('/healthz', url), signal)
    if (status === 200) return well('daemon', `answers at ${url}`)
    return trouble(
      'daemon',
      `answers ${status} at ${url}`,
      'another program may have its port; restart the daemon',
    )
  } catch (error) {
    return trouble(
      'daemon',
      `does not answer at ${url}: ${(error as Error).message}`,
      'look at its log; a module that never yields keeps it from answering: restart it',
    )
  }
}

function statusOf(url: URL, signal: AbortSignal): Promise<number | undefined> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)])
  return new Promise((resolve, reject) => {
    const options = { signal: within, rejectUnauthorized: false }
    const sent = url.protocol === 'https:' ? getOverTls(url, options) : getPlainly(url, { signal: within })
    sent.on('error', reject)
    sent.on('response', answer => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode))
      answer.on('error', reject)
    })
  })
}
