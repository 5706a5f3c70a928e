import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Era, otherEra } from '../era.ts'
import { isObject } from '../json-rpc.ts'
import type { Greeting } from './connection.ts'
import { EraMemory } from './era-memory.ts'
import { MCP_FOLDER } from './upstream-identity.ts'
import { writeWhole } from './write-whole.ts'

/** Lists that are stored. */
export const CACHED_LISTS: readonly string[] = [
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
]

/** What a server said in one era. */
interface Said {
  /** Result of `initialize` or `server/discover`. */
  greeting: Greeting['result']
  /** Results by method and cursor, as JSON text: `tools/list` or `tools/list CURSOR`. */
  lists: Record<string, string>
}

interface Stored {
  form: 1
  said: Partial<Record<Era, Said>>
  /** Eras that the server does not speak. */
  refused: Era[]
}

/** Longest list that is stored, in characters. */
const LONGEST = 8_388_608

/**
 * What a server said last time: how it greeted, and its lists. With it a client gets its tools at once, also from a
 * server that is starting or down. One file per server and login.
 */
export class ListCache {
  readonly #file: string | undefined
  readonly #eras: EraMemory
  #stored: Stored

  /**
   * @param dataFolder undefined to store it in memory
   * @param command hash of the server's command, whoever uses it
   */
  constructor(dataFolder: string | undefined, identity: string, command: string) {
    this.#eras = new EraMemory(dataFolder, command)
    this.#file = dataFolder === undefined ? undefined : join(dataFolder, MCP_FOLDER, `${identity}.json`)
    this.#stored = this.#read() ?? { form: 1, said: {}, refused: [] }
  }

  /** How the server greeted last: in this era if it has, else in the other. */
  greeting(preferred: Era): Greeting | undefined {
    const era = this.#eraLike(preferred)
    const said = era && this.#stored.said[era]
    return said && { era, result: said.greeting }
  }

  /** The era in which to greet a server that a client of this era wants. */
  eraFor(preferred: Era): Era {
    const { refused, said } = this.#stored
    // Another login of the same command has found out.
    const isKnown = refused.length > 0 || Object.keys(said).length > 0
    return (isKnown ? refused : this.#eras.refused).includes(preferred) ? otherEra(preferred) : preferred
  }

  /** Whether the server ever greeted in this era. */
  knows(era: Era): boolean {
    return this.#stored.said[era] !== undefined
  }

  /** The result of a list as JSON text, and its era. */
  list(preferred: Era, method: string, cursor?: string): { era: Era; result: string } | undefined {
    const key = keyOf(method, cursor)
    for (const era of [preferred, otherEra(preferred)]) {
      const result = this.#stored.said[era]?.lists[key]
      if (result !== undefined) return { era, result }
    }
    return undefined
  }

  /** All stored pages of a list, as JSON texts: of this era if there are any, else of the other. */
  pages(preferred: Era, method: string): string[] {
    for (const era of [preferred, otherEra(preferred)]) {
      const lists = Object.entries(this.#stored.said[era]?.lists ?? {})
      const found = lists.filter(([key]) => key === method || key.startsWith(`${method} `))
      if (found.length > 0) return found.map(([, result]) => result)
    }
    return []
  }

  /** The server greeted. Lists of another version of it are forgotten only when new ones come. */
  greeted({ era, result }: Greeting): void {
    const { said, refused } = this.#stored
    const before = said[era]
    this.#eras.knows(era)
    if (!refused.includes(era) && JSON.stringify(before?.greeting) === JSON.stringify(result)) return
    this.#write({
      form: 1,
      said: { ...said, [era]: { greeting: result, lists: before?.lists ?? {} } },
      refused: refused.filter(other => other !== era),
    })
  }

  /** Records that the server speaks the other era, not this one. */
  refused(era: Era): void {
    const { said, refused } = this.#stored
    const { [era]: _, ...left } = said
    this.#eras.knowsNot(era)
    if (!refused.includes(era)) this.#write({ form: 1, said: left, refused: [era] })
  }

  /** Stores a list. Returns whether it differs from the stored one; undefined if none was stored. */
  keep(era: Era, method: string, cursor: string | undefined, result: string): boolean | undefined {
    const { said, refused } = this.#stored
    const before = said[era]
    if (!before || result.length > LONGEST) return undefined
    const key = keyOf(method, cursor)
    const last = before.lists[key]
    if (last === result) return false
    const lists = { ...before.lists, [key]: result }
    this.#write({ form: 1, said: { ...said, [era]: { ...before, lists } }, refused })
    return last === undefined ? undefined : true
  }

  #eraLike(preferred: Era): Era | undefined {
    return [preferred, otherEra(preferred)].find(era => this.#stored.said[era] !== undefined)
  }

  #read(): Stored | undefined {
    if (this.#file === undefined) return undefined
    try {
      const stored = JSON.parse(readFileSync(this.#file, 'utf8')) as Stored
      const isWhole = stored.form === 1 && isObject(stored.said) && Array.isArray(stored.refused)
      return isWhole ? stored : undefined
    } catch {
      return undefined
    }
  }

  /** What cannot be written is only known here. */
  #write(stored: Stored): void {
    this.#stored = stored
    if (this.#file !== undefined) writeWhole(this.#file, stored)
  }
}

function keyOf(method: string, cursor: string | undefined): string {
  return cursor === undefined ? method : `${method} ${cursor}`
}
