import type { DatabaseSync } from 'node:sqlite'
import { LedgerError } from '../error.ts'

/**
 * The same writes, but refused outside a transaction: asynchronous work continues after it was refused, and would
 * otherwise store its later writes without the rest.
 */
export function onlyInside<T extends object>(writes: T, db: DatabaseSync): T {
  const bound = new Map<PropertyKey, unknown>()
  return new Proxy(writes, {
    get(target, name) {
      if (!db.isOpen || !db.isTransaction)
        throw new LedgerError('invalid', `${String(name)}: its transaction is over`)
      const known = bound.get(name)
      if (known !== undefined) return known
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      const method = value.bind(target)
      bound.set(name, method)
      return method
    },
  })
}
