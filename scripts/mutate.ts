// Mutation tests of the code that decides: `npm run mutate` runs all parts, `npm run mutate -- verdict` one of them.
// Unchanged code and tests keep the results of the last run, in .cache/stryker.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { withTools } from './install-once.ts'
import { PARTS } from './mutation-parts.ts'

interface Report {
  files: Record<string, { mutants: readonly { status: string }[] }>
}

const names = process.argv.slice(2)
const unknown = names.filter(name => !Object.hasOwn(PARTS, name))
if (unknown.length > 0) {
  console.error(`unknown part ${unknown.join(', ')}; known: ${Object.keys(PARTS).join(', ')}`)
  process.exit(2)
}
const chosen = names.length > 0 ? names : Object.keys(PARTS)
const environment = withTools()
const scores = chosen.map(name => {
  const { status } = spawnSync('stryker', ['run'], {
    stdio: 'inherit',
    env: { ...environment, MUTATION_PART: name },
  })
  return { name, isGood: status === 0, words: scoreOf(`.cache/stryker/${name}.json`) }
})
for (const { name, words } of scores) console.log(`${name.padEnd(10)}${words}`)
process.exit(scores.every(({ isGood }) => isGood) ? 0 : 1)

function scoreOf(file: string): string {
  if (!existsSync(file)) return 'no report'
  const { files } = JSON.parse(readFileSync(file, 'utf8')) as Report
  const statuses = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status))
  const count = (...wanted: readonly string[]) => statuses.filter(status => wanted.includes(status)).length
  const killed = count('Killed', 'Timeout')
  const lived = count('Survived', 'NoCoverage')
  return `${((100 * killed) / (killed + lived)).toFixed(1)} %: ${killed} of ${killed + lived} mutants noticed`
}
