/** Calls each listener, even if another throws. */
export function tellListeners(listeners: Iterable<(own: boolean) => void>, own: boolean): void {
  for (const listener of [...listeners])
    try {
      listener(own)
    } catch (error) {
      process.emitWarning(`a listener of the ledger threw: ${error}`, { code: 'MULLIGAN_LEDGER' })
    }
}
