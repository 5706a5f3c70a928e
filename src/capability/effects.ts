import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { VerifyContext } from './context.ts'
import { fill, templateOf } from './template.ts'
import { type Check, unsure, type Verified, verify } from './verify.ts'

/** What a file has to show. Without any of these it only has to exist. */
export interface FileEffect {
  /** Path of the file; `{name}` stands for a parameter. */
  path: string
  /** A text that must be in it, case included; `{name}` stands for a parameter. */
  contains?: string
  /** A text that must be gone; a file that does not exist has lost it too. */
  lacks?: string
  /** SHA-256 of its whole content, in hex; `sha256:` may stand before it. */
  sha256?: string
}

/**
 * A check that reads a file: a witness that does not depend on the service that wrote it. A parameter that was not
 * given and a file that cannot be read are unsure.
 */
export function fileEffect<P>(effect: FileEffect): Check<P> {
  return async (params, { env }) => {
    const values = { params, env }
    const fields = {
      path: effect.path,
      contains: effect.contains,
      lacks: effect.lacks,
      sha256: effect.sha256,
    }
    const [path, contains, lacks, sha256] = Object.values(fields).map(
      source => source && fill(templateOf(source), values),
    )
    const missing = Object.entries(fields).find(
      ([, source]) => source && fill(templateOf(source), values) === undefined,
    )
    if (missing || !path) return unsure(`${missing?.[1]} names a parameter that was not given`)
    const content = await contentOf(path)
    if (content === undefined) return lacks === undefined ? 'absent' : 'done'
    if (sha256 !== undefined && digestOf(content) !== sha256.toLowerCase().replace(/^sha256:/, ''))
      return 'absent'
    if (contains !== undefined && !content.includes(contains)) return 'absent'
    return lacks !== undefined && content.includes(lacks) ? 'absent' : 'done'
  }
}

/** The bytes of a file; undefined if it does not exist. Backslashes lead through folders, as they do on Windows. */
async function contentOf(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(resolve(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return path.includes('\\') ? contentOf(path.replaceAll('\\', '/')) : undefined
  }
}

function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

/**
 * One check of several effects, by name: done if all are done, absent if all are absent. Between the two, running
 * again would do a part twice: that is unsure, unless the work says with `partial: 'run'` that doing a part again
 * does no harm.
 */
export function allEffects<P>(
  checks: Readonly<Record<string, Check<P>>>,
  { partial = 'unsure' }: { partial?: 'unsure' | 'run' } = {},
): Check<P> {
  return async (params: P, context: VerifyContext): Promise<Verified> => {
    const asked = Object.entries(checks).map(async ([name, check]) => {
      const verified = await verify({ name, verification: { check, timeoutMs: Infinity } }, params, context)
      return [name, verified] as const
    })
    const answers = await Promise.all(asked)
    if (answers.length === 0) return unsure('there is no effect to look for')
    const doubtful = answers.find(([, { state }]) => state === 'unsure')
    if (doubtful) return unsure(`${doubtful[0]}: ${(doubtful[1] as { reason: string }).reason}`)
    const absent = answers.filter(([, { state }]) => state === 'absent').map(([name]) => name)
    if (absent.length === 0) return { state: 'done' }
    if (absent.length === answers.length || partial === 'run') return { state: 'absent' }
    return unsure(`only a part is there; missing: ${absent.join(', ')}`)
  }
}
