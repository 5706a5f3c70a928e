/** Another transaction was in the way, which only the work itself could notice: it is done again, as after a deadlock. */
export class Collision extends Error {
  readonly code = '40001'
}
