import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { type ProcessOptions, run } from '../process/run.ts'
import { ownFailure } from './own-failure.ts'

/** How long a program has to print its version, in milliseconds; some take seconds to load. */
const ASK_TIMEOUT_MS = 30_000

/** The version in a program's output; undefined if there is none. */
export function parseVersion(output: string): string | undefined {
  return /(?<![\w.])v?(\d{1,6}\.\d{1,6}\.\d{1,8}(?:-[0-9A-Za-z.-]{1,64})?)(?![\w])/.exec(output)?.[1]
}

/** Negative if `a` is older than `b`. A pre-release is older than its release. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [a, b].map(partsOf) as [Parts, Parts]
  for (let i = 0; i < 3; i++) {
    const difference = (first.numbers[i] ?? 0) - (second.numbers[i] ?? 0)
    if (difference !== 0) return difference
  }
  if (first.pre === second.pre) return 0
  if (first.pre === '' || second.pre === '') return first.pre === '' ? 1 : -1
  return first.pre.localeCompare(second.pre, 'en', { numeric: true })
}

interface Parts {
  numbers: number[]
  pre: string
}

function partsOf(version: string): Parts {
  const [core = '', ...pre] = version.replace(/^v/, '').split('-')
  return { numbers: core.split('.').map(Number), pre: pre.join('-') }
}

export type VersionAnswer = { version: string } | { failure: Failure }

/** Asks a program for its version. */
export async function askVersion(
  provider: string,
  argv: readonly [string, ...string[]],
  options: Pick<ProcessOptions, 'env' | 'time' | 'signal' | 'cwd'>,
): Promise<VersionAnswer> {
  try {
    const result = await run({ ...options, argv: [...argv, '--version'], timeoutMs: ASK_TIMEOUT_MS })
    const version = parseVersion(result.stdout) ?? parseVersion(result.stderr)
    if (version !== undefined && result.exitCode === 0) return { version }
    const failure = result.exitCode === 0 ? null : classify(result, { provider })
    return { failure: failure ?? unreadable(provider, argv[0]) }
  } catch (error) {
    return { failure: notStarted(provider, argv[0], error) }
  }
}

/** The failure of a version that is too old; undefined if it is not. */
export function tooOld(provider: string, version: string, minimum: string): Failure | undefined {
  if (compareVersions(version, minimum) >= 0) return undefined
  return ownFailure({
    kind: 'version_mismatch',
    rule: 'version_mismatch',
    provider,
    message: `version ${version} is older than ${minimum}, the oldest supported version`,
  })
}

function unreadable(provider: string, program: string): Failure {
  return ownFailure({
    kind: 'invalid_version',
    rule: 'invalid_version',
    provider,
    message: `${program} --version prints no version such as 1.2.3`,
  })
}

/** A program that could not be started. One that cannot be executed counts as missing: another can take over. */
export function notStarted(provider: string, program: string, error: unknown): Failure {
  const { code } = error as { code?: unknown }
  if (code !== 'ENOENT' && code !== 'EACCES' && code !== 'ENOEXEC') {
    const failure = classify(error, { provider }) as Failure
    return failure.class === 'unknown'
      ? { ...failure, kind: 'io', effect: 'none' }
      : { ...failure, effect: 'none' }
  }
  return ownFailure({
    kind: 'binary_not_found',
    rule: 'binary_not_found',
    provider,
    message: code === 'ENOENT' ? `program ${program} not found` : `program ${program} cannot be executed`,
  })
}
