import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { VerifyContext } from './context.ts'
import { fill, templateOf } from './template.ts'
import type { Check, Verified } from './verification.ts'
import { unsure, verify } from './verify.ts'

/** What a file must show. Without any of these, it must only exist. */
export interface FileEffect {
  /** Path of the file; `{name}` is replaced by a parameter. */
  path: string
  /** A text it must contain, case-sensitive; `{name}` is replaced by a parameter. */
  contains?: string
  /** A text it must not contain; a missing file does not contain it either. */
  lacks?: string
  /** SHA-256 of its whole content, in hex; may start with `sha256:`. */
  sha256?: string
}

/**
 * A check that reads a file, so it does not depend on the service that wrote it. A missing parameter or an unreadable file makes
 * it unsure.
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

/** The bytes of a file; undefined if it does not exist. Backslashes separate folders, as on Windows. */
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
 * Combines checks of several effects, by name: done if all are done, absent if all are absent. If only some are done, running
 * again would repeat part of the work: that is unsure, unless `partial: 'run'` says that repeating a part does no harm.
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
    if (answers.length === 0) return unsure('there is no effect to check')
    const doubtful = answers.find(([, { state }]) => state === 'unsure')
    if (doubtful) return unsure(`${doubtful[0]}: ${(doubtful[1] as { reason: string }).reason}`)
    const absent = answers.filter(([, { state }]) => state === 'absent').map(([name]) => name)
    if (absent.length === 0) return { state: 'done' }
    if (absent.length === answers.length || partial === 'run') return { state: 'absent' }
    return unsure(`only part of it is there; missing: ${absent.join(', ')}`)
  }
}
