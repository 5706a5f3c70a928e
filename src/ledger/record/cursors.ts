import { type Asking, row, written } from './asking.ts'

/** How far a consumer has read the events. */
export function* cursorOf(consumer: string): Asking<number> {
  const found = yield* row<{ event: number }>('SELECT event FROM cursors WHERE consumer = $1', consumer)
  return found?.event ?? 0
}

/** Returns false if the cursor is not at `from`. If two move it at the same time, one waits and finds it moved. */
export function* moveCursor(consumer: string, from: number, to: number): Asking<boolean> {
  const moved =
    from === 0
      ? yield* written(
          'INSERT INTO cursors (consumer, event) VALUES ($1, $2) ON CONFLICT (consumer) DO NOTHING RETURNING event',
          consumer,
          to,
        )
      : yield* written(
          'UPDATE cursors SET event = $2 WHERE consumer = $1 AND event = $3 RETURNING event',
          consumer,
          to,
          from,
        )
  if (to === 0) yield* row('DELETE FROM cursors WHERE consumer = $1 AND event = 0', consumer)
  if (moved > 0) yield { known: true }
  return moved > 0
}
