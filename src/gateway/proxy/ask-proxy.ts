import { z } from 'zod'
import { isRunning } from '../../process/is-running.ts'
import { type ListeningAt, readAddress } from '../http/address-file.ts'
import { tokenIn } from '../http/token-files.ts'
import { CONTROL_PATH } from './control.ts'
import { PROXY_ADDRESS_FILE, PROXY_TOKEN_FILE } from './files.ts'
import { type HoldJson, hold } from './hold-shape.ts'

/** How long a proxy may take to say what waits, in milliseconds: nobody's status waits for a proxy that hangs. */
const PATIENCE_MS = 2_000

/** What a person may do about a question that waits: end the block that it waits for, or end its wait. */
export type HoldAction = 'release' | 'refuse'
export const HOLD_ACTIONS: readonly HoldAction[] = ['release', 'refuse']

/** A proxy that runs, and what waits in it. */
export interface RunningProxy {
  url: string
  holds: readonly HoldJson[]
}

/** The proxy of a data folder did not do as asked. */
export class ProxyRefused extends Error {
  override name = 'ProxyRefused'
}

/** The proxy of a data folder, in this process or another. Undefined if none answers. */
export async function runningProxy(folder: string, signal?: AbortSignal): Promise<RunningProxy | undefined> {
  return heldBy(folder, signal).catch(error => {
    if (error instanceof ProxyRefused) return undefined
    throw error
  })
}

/** As {@link runningProxy}. Throws a {@link ProxyRefused} that says why none answers. */
export async function heldBy(folder: string, signal?: AbortSignal): Promise<RunningProxy> {
  const { url, body } = await ask(folder, 'GET', 'holds', held, signal)
  return { url, holds: body.holds }
}

/** Releases or refuses a question that waits. Throws a {@link ProxyRefused}. */
export async function changeHold(
  folder: string,
  id: string,
  action: HoldAction,
  signal?: AbortSignal,
): Promise<HoldJson> {
  return (await ask(folder, 'POST', `holds/${encodeURIComponent(id)}/${action}`, hold, signal)).body
}

/** What a proxy publishes: it listens only on this machine. */
const OWN_URL = /^http:\/\/127\.0\.0\.1:\d{1,5}$/

/** Where the proxy of a data folder listens, or listened; undefined if none has said so. */
export function proxyAddress(folder: string): ListeningAt | undefined {
  const at = readAddress(folder, PROXY_ADDRESS_FILE)
  return at && OWN_URL.test(at.url) ? at : undefined
}

const held = z.object({ holds: z.array(hold) })
const refusal = z.object({ error: z.object({ message: z.string() }) })

async function ask<T>(
  folder: string,
  method: string,
  path: string,
  schema: z.ZodType<T>,
  signal: AbortSignal | undefined,
): Promise<{ url: string; body: T }> {
  const at = proxyAddress(folder)
  // A killed one leaves its address behind; another program there must not get the token.
  if (!at || !isRunning(at.pid))
    throw new ProxyRefused(`no proxy runs for ${folder}; start one: mulligan proxy`)
  const { url } = at
  const limits = [AbortSignal.timeout(PATIENCE_MS), ...(signal ? [signal] : [])]
  const answer = await fetch(url + CONTROL_PATH + path, {
    method,
    headers: { authorization: `Bearer ${tokenFor(folder)}` },
    redirect: 'error',
    signal: AbortSignal.any(limits),
  }).catch((error: Error) => {
    signal?.throwIfAborted()
    throw new ProxyRefused(`the proxy at ${url} does not answer: ${error.message}`)
  })
  const json: unknown = await answer.json().catch(() => undefined)
  const body = answer.ok ? schema.safeParse(json).data : undefined
  if (body !== undefined) return { url, body }
  const said = answer.ok ? undefined : refusal.safeParse(json).data?.error.message
  throw new ProxyRefused(said ?? `what answers at ${url} is no proxy of ${folder}`)
}

function tokenFor(folder: string): string {
  try {
    return tokenIn(folder, PROXY_TOKEN_FILE)
  } catch (error) {
    throw new ProxyRefused((error as Error).message, { cause: error })
  }
}
