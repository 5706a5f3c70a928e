/** Name of the ledger's file in a data folder. */
export const LEDGER_NAME = 'ledger.db'
