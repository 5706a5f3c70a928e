import { redact } from '../failure/redact.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Time } from '../time/time.ts'
import { cut } from './cut.ts'
import { ACTIONABLE_LIFETIME_MS } from './lifetime.ts'
import { LONGEST_TEXT } from './message.ts'
import { CONFIG_TROUBLE } from './weight.ts'

const CAUSE = 'config'
const TYPE = 'config_trouble'

/** Makes a notice that a changed config cannot be used, once until one can; its words change with the mistakes. */
export async function tellConfigTrouble(
  { ledger, time }: { ledger: Pick<Ledger, 'transaction'>; time: Pick<Time, 'now'> },
  problem: string,
): Promise<void> {
  const now = time.now()
  await ledger.transaction(writes =>
    writes.addNotice(
      {
        key: `${CAUSE}:${now}`,
        type: TYPE,
        ...CONFIG_TROUBLE,
        cause: CAUSE,
        title: 'The changed config cannot be used; the one before stays in force',
        body: cut(
          `${redact(problem)}\nOnce it is fixed, reload again. Check it: mulligan config check`,
          LONGEST_TEXT,
        ),
        expiresAt: now + ACTIONABLE_LIFETIME_MS,
      },
      'update',
    ),
  )
}

/** The config in force is the one in the file: resolves the notice that it was not. */
export async function resolveConfigTrouble({
  ledger,
}: {
  ledger: Pick<Ledger, 'transaction'>
}): Promise<void> {
  await ledger.transaction(writes =>
    writes.resolveNotices({ cause: CAUSE, types: [TYPE] }, 'the config was loaded'),
  )
}
