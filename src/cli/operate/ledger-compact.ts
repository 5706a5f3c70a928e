import { dirname } from 'node:path'
import { isThere } from '../../config/private-folder.ts'
import { lockFolder } from '../../daemon/lock.ts'
import { sizeInWords } from '../../daemon/words/size-words.ts'
import { LedgerError } from '../../ledger/error.ts'
import { openLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import { quietly } from '../../time/clean-up.ts'
import type { Terminal } from '../terminal.ts'

/**
 * Compacts the ledger of a data folder, and keeps daemons from starting meanwhile. Installs no signal handlers: an
 * interrupt ends the process, which loses nothing.
 */
export async function compact(
  file: string,
  { json = false }: { json?: boolean | undefined },
  terminal: Terminal,
): Promise<number> {
  if (!isThere(file)) throw new LedgerError('io', `no ledger at ${file}; name its folder with --data`)
  const lock = lockFolder(dirname(file), terminal.now())
  if (!lock.held)
    throw new LedgerError(
      'in_use',
      `a daemon is using ${dirname(file)}${lock.by ? ` (process ${lock.by.pid} on ${lock.by.host})` : ''}; stop it first`,
    )
  try {
    const ledger = await openLedger({ file })
    try {
      const isLive = terminal.stderrIsTerminal === true
      const { beforeBytes, afterBytes } = await ledger
        .compact(isLive ? { onProgress: progress => show(progress, terminal) } : {})
        .finally(() => isLive && terminal.clearLine?.())
      const freed = Math.max(0, beforeBytes - afterBytes)
      terminal.stdout(
        json
          ? `${JSON.stringify({ ledger: file, before_bytes: beforeBytes, after_bytes: afterBytes, freed_bytes: freed })}\n`
          : `${file}: freed ${sizeInWords(freed)}, ${sizeInWords(afterBytes)} left\n`,
      )
      return 0
    } finally {
      await quietly(() => ledger.close())
    }
  } finally {
    void quietly(() => lock.release())
  }
}

function show({ bytes, ofBytes }: { bytes: number; ofBytes: number }, terminal: Terminal): void {
  const share = ofBytes > 0 ? Math.floor((100 * bytes) / ofBytes) : 100
  terminal.clearLine?.()
  terminal.stderr(
    bytes === 0 ? `copying ${sizeInWords(ofBytes)} …` : `writing ${share} % of ${sizeInWords(ofBytes)} …`,
  )
}
