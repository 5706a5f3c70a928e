/** Begins the name of every other engine where names of capabilities or providers stand. */
export const ENGINE_PREFIX = 'engine:'

/** What a held operation waits for, for people. */
export function holdInWords(heldBy: string): string {
  return heldBy.startsWith(ENGINE_PREFIX)
    ? `${heldBy.slice(ENGINE_PREFIX.length)} has it`
    : `held until ${heldBy} can serve`
}
