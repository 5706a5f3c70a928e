import { existsSync } from 'node:fs'
import { WrongArgument } from '../../failure/own-error.ts'
import { isPostgresUrl } from '../../ledger/postgres/address.ts'

/** Variable with a daemon's token, where its URL has none. */
const TOKEN = 'MULLIGAN_TOKEN'
const LONGEST_MS = 5_000

/** The place of a daemon's ledger: a file on this machine, or an address without its password. Rejects if it does not say. */
export async function ledgerOfDaemon(url: string): Promise<string> {
  const { origin, password } = new URL(url)
  const token = password === '' ? process.env[TOKEN] : decodeURIComponent(password)
  const response = await fetch(`${origin}/v1/ledger`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(LONGEST_MS),
  })
  if (response.status === 401)
    throw new WrongArgument(
      `connect: the daemon at ${origin} ${token === undefined ? 'wants its token' : 'does not know this token'}: put the one in its http.token in ${TOKEN}`,
    )
  const body = (await response.json().catch(() => undefined)) as { place?: unknown } | undefined
  if (!response.ok || typeof body?.place !== 'string')
    throw new WrongArgument(
      `connect: ${origin} is no daemon that tells where its ledger is (${response.status})`,
    )
  const { place } = body
  // Opening a file that is not there would begin another ledger.
  if (!isPostgresUrl(place) && !existsSync(place))
    throw new WrongArgument(
      `connect: the ledger of ${origin} is the file ${place} on its own machine; workers elsewhere need one on PostgreSQL`,
    )
  return place
}
