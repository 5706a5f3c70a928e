// Prepares a release: `npm run release -- 0.2.0`. Sets the version of both packages, gives the changelog's unreleased part its
// heading, checks the packages, commits and tags. Publishes nothing: pushing the tag does (.github/workflows/release.yml). With
// --dry-run it only says what it would do, and all that keeps it from that.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writePage } from '../bench/everything.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * The changelog with its unreleased part under the version's heading. That part is "Unreleased", or, where the version is settled
 * before its release, "VERSION (unreleased)". Throws if there is nothing to release.
 */
export function releasedChangelog(text: string, version: string, day: string): string {
  const settled = `## ${version} (unreleased)\n`
  const heading = text.includes(`\n${settled}`) ? settled : '## Unreleased\n'
  const [, unreleased] = text.split(`\n${heading}`)
  if (!unreleased?.split('\n## ', 1)[0]?.trim())
    throw new Error(`CHANGELOG.md has nothing under "${heading.trim()}"`)
  if (heading === settled && text.includes('\n## Unreleased'))
    throw new Error(`CHANGELOG.md has two unreleased parts: move what is under "Unreleased" to ${version}`)
  const rest = text.replace(heading, `## Unreleased\n\n## ${version} (${day})\n`)
  if (rest.split(`\n## ${version} `).length > 2) throw new Error(`CHANGELOG.md already has ${version}`)
  return rest
}

/** A package.json, or lockfile of both packages, with the version, and with core in the same version. */
export function withVersion(text: string, version: string): string {
  const json = JSON.parse(text) as Manifest & { packages?: Record<string, Manifest> }
  const ours = [json, ...OURS.map(path => json.packages?.[path])]
  for (const manifest of ours) {
    if (!manifest) continue
    manifest.version = version
    if (manifest.dependencies?.['@mulligan/core']) manifest.dependencies['@mulligan/core'] = version
  }
  return `${JSON.stringify(json, null, 2)}\n`
}

interface Manifest {
  version?: string
  dependencies?: Record<string, string>
}

/** The packages of this repository in its lockfile. */
const OURS = ['', 'packages/core']

/** Whether a version comes after another; both are numbers with dots. */
export function isAfter(version: string, before: string): boolean {
  const [a, b] = [version, before].map(text => text.split('.').map(Number))
  const place = (a as number[]).findIndex((part, index) => part !== b?.[index])
  return place !== -1 && (a?.[place] as number) > (b?.[place] as number)
}

const MANIFESTS = ['package.json', 'packages/core/package.json']

/**
 * The registry compares this address with the one that the signed provenance states, and refuses the package if they differ.
 * By then the tag is pushed, so it is asked for before.
 */
export function checkRepository(file: string, text: string): void {
  const { repository } = JSON.parse(text) as { repository?: { url?: string } }
  if (/^git\+https:\/\/github\.com\/[^/]+\/[^/]+\.git$/.test(repository?.url ?? '')) return
  throw new Error(
    `${file} needs "repository": {"type": "git", "url": "git+https://github.com/OWNER/NAME.git"}, the public repository whose workflow publishes it: npm checks the provenance against it`,
  )
}

/** The version, and whether only to say what would happen. Refuses everything else: a misspelt --dry-run would release. */
export function readArguments(words: readonly string[]): { version: string; isDryRun: boolean } {
  const [version = '', ...more] = words.filter(word => word !== '--dry-run')
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('name the version, such as 0.2.0')
  if (more.length > 0) throw new Error(`takes VERSION and --dry-run, not ${JSON.stringify(more[0])}`)
  return { version, isDryRun: words.includes('--dry-run') }
}

const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim()
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** What keeps the version from being released now, each in a sentence. */
function obstacles(version: string): string[] {
  const { version: before } = JSON.parse(read('package.json')) as { version: string }
  const checks: readonly (() => boolean | string)[] = [
    // A version that is settled before its release is in the packages already.
    () => version === before || isAfter(version, before) || `${version} does not come after ${before}`,
    () => git('tag', '--list', `v${version}`) === '' || `v${version} is released already`,
    () => git('status', '--porcelain') === '' || 'commit or undo your changes first',
    () => git('branch', '--show-current') === 'main' || 'release from main',
    ...MANIFESTS.map(file => () => checkRepository(file, read(file)) ?? true),
    () => releasedChangelog(read('CHANGELOG.md'), version, '2026-01-01') !== '',
  ]
  return checks.flatMap(check => {
    try {
      const said = check()
      return typeof said === 'string' ? [said] : []
    } catch (error) {
      return [(error as Error).message]
    }
  })
}

function release(version: string): void {
  const found = obstacles(version)
  if (found.length > 0) throw new Error(found.join('\nmulligan: release: '))
  const changelog = releasedChangelog(read('CHANGELOG.md'), version, new Date().toISOString().slice(0, 10))
  for (const file of [...MANIFESTS, 'package-lock.json'])
    writeFileSync(join(root, file), withVersion(read(file), version))
  writeFileSync(join(root, 'CHANGELOG.md'), changelog)
  // What is published says which figures are older than the code they measured.
  writePage()
  try {
    execFileSync('npm', ['run', 'pack:check'], { cwd: root, stdio: 'inherit' })
  } catch {
    git('checkout', '--', '.')
    throw new Error('the packages have a mistake; nothing was changed')
  }
  git('commit', '--all', '--message', `Release ${version}`)
  git('tag', '--annotate', `v${version}`, '--message', `Mulligan ${version}`)
  process.stderr.write(`Tagged v${version}. To publish it: git push origin main v${version}\n`)
}

/** Says what `release` would do, and all that keeps it from that. Changes nothing. */
function tell(version: string): number {
  const found = obstacles(version)
  const files = [...MANIFESTS, 'package-lock.json'].join(', ')
  process.stdout.write(
    [
      `write ${version} into ${files}`,
      'date it in CHANGELOG.md, and say in docs/performance.md which figures are older than their code',
      'npm run pack:check',
      `commit "Release ${version}" and tag v${version}; the pushed tag publishes both packages`,
      ...found.map(obstacle => `not yet: ${obstacle}`),
    ]
      .map(line => `${line}\n`)
      .join(''),
  )
  return found.length === 0 ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const { version, isDryRun } = readArguments(process.argv.slice(2))
    if (isDryRun) process.exitCode = tell(version)
    else release(version)
  } catch (error) {
    process.stderr.write(`mulligan: release: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
}
