import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from './caller.ts'
import { sendJson } from './deliver.ts'
import { holdToJson } from './hold-shape.ts'
import type { Hold, Holds } from './holds.ts'

/** Where people look at what waits, and end or release it. */
export const CONTROL_PATH = '/mulligan/'

interface Controlled {
  holds: Holds
  release: (provider: string) => Promise<void>
}

/** Answers `GET /mulligan/holds`, and `POST /mulligan/holds/ID/release` or `/refuse`, to who has the token. */
export async function answerControl(
  controlled: Controlled,
  target: string,
  { hasToken }: Caller,
  { method = 'GET' }: IncomingMessage,
  to: ServerResponse,
): Promise<void> {
  if (!hasToken) sendJson(to, 401, problem('send the proxy token as Authorization: Bearer TOKEN'))
  else if (method === 'GET' && target === `${CONTROL_PATH}holds`)
    sendJson(to, 200, { holds: controlled.holds.list().map(holdToJson) })
  else {
    const changed = method === 'POST' ? await changedHold(controlled, target) : undefined
    if (changed) sendJson(to, 200, holdToJson(changed))
    else sendJson(to, 404, problem(`no question waits there; to list those that do: mulligan proxy holds`))
  }
}

async function changedHold({ holds, release }: Controlled, target: string): Promise<Hold | undefined> {
  const [, id, action] = /^\/mulligan\/holds\/([\w.-]+)\/(release|refuse)$/.exec(target) ?? []
  const hold = holds.list().find(one => one.id === id)
  if (!hold) return undefined
  if (action === 'refuse') holds.refuse(hold.id, 'refused by a person')
  else if (hold.provider !== undefined) await release(hold.provider)
  return hold
}

function problem(message: string): object {
  return { error: { message } }
}
