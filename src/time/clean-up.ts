/**
 * Ends as the work ends, after every clean-up has run. What a clean-up throws counts only if nothing failed before it: it must
 * not hide the cause.
 */
export function cleaningUp<T>(work: () => T, ...cleanUps: readonly (() => unknown)[]): T {
  return cleanUps.reduce<() => T>((before, cleanUp) => () => thenCleanUp(before, cleanUp), work)()
}

function thenCleanUp<T>(work: () => T, cleanUp: () => unknown): T {
  let value: T
  try {
    value = work()
  } catch (error) {
    void quietly(cleanUp)
    throw error
  }
  if (value instanceof Promise)
    return value.then(
      async result => {
        await cleanUp()
        return result
      },
      async error => {
        await quietly(cleanUp)
        throw error
      },
    ) as T
  cleanUp()
  return value
}

/** Cleans up where an error is already on its way, or where nothing depends on it: ignores what the clean-up throws. */
export async function quietly(cleanUp: () => unknown): Promise<void> {
  try {
    // Begun at once, so that a clean-up without waits has ended when this returns.
    await cleanUp()
  } catch {
    // The first error is the one that counts.
  }
}
