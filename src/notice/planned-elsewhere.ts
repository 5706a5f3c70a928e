/** Another process submitted the message first. */
export class PlannedElsewhere extends Error {
  override name = 'PlannedElsewhere'

  constructor(notice: string, surface: string) {
    super(`${notice} is already on its way to ${surface}`)
  }
}
