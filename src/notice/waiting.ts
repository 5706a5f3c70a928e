import type { Ledger } from '../ledger/ledger.ts'

/** How many operations wait for a provider: they could run now, or are held, and can use it. */
export async function waitingFor(ledger: Pick<Ledger, 'counts'>, provider: string): Promise<number> {
  const { due, held } = await ledger.counts({ provider, state: 'scheduled' })
  return due + held
}
