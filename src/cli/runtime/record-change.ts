import { dataFolder } from '../../config/data-folder.ts'
import type { LoadedConfig } from '../../config/loaded.ts'
import { recordChange } from '../../ledger/change.ts'
import { cleaningUp } from '../../time/clean-up.ts'
import type { Terminal } from '../terminal.ts'
import { userOf } from './changing.ts'
import { ledgerOf } from './runtime.ts'

/** Records what a command did that does not open the ledger for its work. Without a ledger there is nothing to record it in. */
export async function recordAside(
  loaded: LoadedConfig,
  terminal: Terminal,
  {
    action,
    subject,
    folder = dataFolder(loaded, terminal),
    absent = 'keep_out',
  }: { action: string; subject: string; folder?: string; absent?: 'make' | 'keep_out' },
): Promise<void> {
  const ledger = await ledgerOf(folder, loaded, terminal, { absent, onNoState: () => {} })
  if (!ledger) return
  await cleaningUp(
    () => recordChange(ledger, { by: userOf(terminal.env), via: 'command', action, subject }),
    () => ledger.close(),
  )
}
