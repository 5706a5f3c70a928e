/** The work itself noticed a conflict with another transaction: it is repeated, as after a deadlock. */
export class Collision extends Error {
  readonly code = '40001'
}
