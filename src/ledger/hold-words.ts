import { engineInWords } from './engine-words.ts'

/** Begins the name of every other engine where names of capabilities or providers stand. */
export const ENGINE_PREFIX = 'engine:'

/**
 * What a held operation waits for, for people.
 * @param when when its provider can serve, in words, if that is known
 */
export function holdInWords(heldBy: string, when?: string): string {
  return heldBy.startsWith(ENGINE_PREFIX)
    ? `${engineInWords(heldBy.slice(ENGINE_PREFIX.length))} has it`
    : `held until ${heldBy} can serve${when === undefined ? '' : ` at ${when}`}`
}
