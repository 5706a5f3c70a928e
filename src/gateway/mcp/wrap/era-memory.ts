import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Era } from '../era.ts'
import { isObject } from '../json-rpc.ts'
import { MCP_FOLDER } from './upstream-identity.ts'
import { writeWhole } from './write-whole.ts'

/**
 * Which eras a command does not speak, whoever uses it and where: a new login or folder need not find out again, which takes
 * as long as the server needs to start. One small file per command.
 */
export class EraMemory {
  readonly #file: string | undefined
  #refused: readonly Era[]

  /** @param dataFolder undefined to remember nothing */
  constructor(dataFolder: string | undefined, command: string) {
    this.#file = dataFolder === undefined ? undefined : join(dataFolder, MCP_FOLDER, `era-${command}.json`)
    this.#refused = this.#read()
  }

  get refused(): readonly Era[] {
    return this.#refused
  }

  /** It greeted in this era. */
  knows(era: Era): void {
    if (this.#refused.includes(era)) this.#write([])
  }

  /** It speaks only the other one. */
  knowsNot(era: Era): void {
    if (!this.#refused.includes(era)) this.#write([era])
  }

  #read(): readonly Era[] {
    try {
      const stored: unknown = JSON.parse(readFileSync(this.#file ?? '', 'utf8'))
      const refused = isObject(stored) && Array.isArray(stored.refused) ? stored.refused : []
      return refused.filter((era): era is Era => era === 'session' || era === 'stateless')
    } catch {
      return []
    }
  }

  #write(refused: readonly Era[]): void {
    this.#refused = refused
    if (this.#file !== undefined) writeWhole(this.#file, { refused })
  }
}
