/** What a token or a browser may do; each includes those before it. */
export const SCOPES = ['read', 'submit', 'operate', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

const NEEDED: Readonly<Record<Exclude<Demand, 'open'>, Scope>> = {
  look: 'read',
  submit: 'submit',
  change: 'operate',
  admin: 'admin',
}

/** The scope that a route needs. */
export function scopeFor(demand: Exclude<Demand, 'open'>): Scope {
  return NEEDED[demand]
}

/** Whether one scope includes another. */
export function includes(scope: Scope, needed: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed)
}

/** What a route needs: nothing (`open`), or that the caller may read, submit, change or do everything. */
export type Demand = 'open' | 'look' | 'submit' | 'change' | 'admin'
