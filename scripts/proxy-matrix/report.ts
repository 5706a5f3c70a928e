import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MatrixEnd } from './matrix.ts'
import type { RightActions } from './right-actions.ts'
import { CLIENTS, type Client } from './run-cli.ts'
import { SCENES, type Scene } from './scenes.ts'

// Writes docs/proxy-matrix.md and the CSV beside it from the ends that `matrix.ts` kept.

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The length of the hold that was waited out for real, in seconds. */
const HOLD_SECONDS = 600

function endOf(scene: string, client: Client, through: MatrixEnd['through']): MatrixEnd | undefined {
  const name = `${scene}-${client}-${through}`.replace(/[^\w-]+/g, '_')
  const file = join(root, '.cache', 'proxy-matrix', `${name}.json`)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as MatrixEnd) : undefined
}

function inWords(end: MatrixEnd | undefined): string {
  if (!end) return '–'
  const how = end.isAnswered ? 'answer' : end.isTimedOut ? 'hangs' : 'failure'
  return `${how}, ${Math.round(end.ms / 1_000)} s`
}

const SHOULD: Record<Scene['should'], string> = {
  answer: 'an answer',
  told: 'a failure',
  client: 'the client asks again',
}

/** How many clients ended well, by scene. */
function table(): string[] {
  const well = ({ name, should }: Scene, through: MatrixEnd['through']) => {
    const ends = CLIENTS.map(client => endOf(name, client, through))
    return ends.filter(end => end && !end.isTimedOut && end.isAnswered === (should !== 'told')).length
  }
  return [
    '| the vendor | right | so through the proxy | alone |',
    '|---|---|---|---|',
    ...SCENES.map(
      scene =>
        `| ${scene.name} | ${SHOULD[scene.should]} | ${well(scene, 'proxy')} | ${well(scene, 'alone')} |`,
    ),
  ]
}

/** Every run as lines of a CSV file. */
function csv(): string {
  const rows = SCENES.flatMap(({ name, should }) =>
    CLIENTS.map(client =>
      [
        name,
        SHOULD[should],
        client,
        inWords(endOf(name, client, 'proxy')),
        inWords(endOf(name, client, 'alone')),
      ]
        .map(text => `"${text}"`)
        .join(),
    ),
  )
  return ['the vendor,right,client,through the proxy,alone', ...rows, ''].join('\n')
}

const all = SCENES.flatMap(scene => CLIENTS.map(client => ({ scene, client })))
const recoverable = all.filter(({ scene }) => scene.should === 'answer')
const answered = (through: MatrixEnd['through']) =>
  recoverable.filter(({ scene, client }) => endOf(scene.name, client, through)?.isAnswered).length
const hidden = all.filter(
  ({ scene, client }) => scene.should === 'told' && endOf(scene.name, client, 'proxy')?.isAnswered,
).length
const repeated = all.filter(({ scene, client }) => {
  const { calls = 0, asked = 0 } = endOf(scene.name, client, 'proxy') ?? {}
  return scene.should === 'client' && calls > asked
}).length
const versions = CLIENTS.map(client => {
  const seen = all
    .filter(one => one.client === client)
    .flatMap(({ scene }) => {
      const ends = [endOf(scene.name, client, 'proxy'), endOf(scene.name, client, 'alone')]
      return ends.flatMap(end => end?.version ?? [])
    })
  return `${client} ${[...new Set(seen)].join(' and ')}`
})
const held = CLIENTS.filter(
  client => endOf(`limit with a stated end, ${HOLD_SECONDS} s`, client, 'proxy')?.isAnswered,
)

const page = join(root, 'docs', 'proxy-matrix.md')
if (versions.some(version => /\d/.test(version))) {
  writeFileSync(join(root, 'docs', 'proxy-matrix.csv'), csv())
  writeFileSync(page, whole())
} else {
  // The runs are on another machine, which wrote the rest of the page.
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(/## Right actions\n[\s\S]*?(?=\n\n## )/, () => rightActions()),
  )
}

function whole(): string {
  return `# Agent CLIs through the proxy

Real agent CLIs with their default settings, asked one question each, at a vendor (\`mulligan lab\`) that fails for a while and
then is well: alone, and with \`mulligan proxy\` as their base URL. Written by \`scripts/proxy-matrix/report.ts\` from runs of
\`matrix.ts\`; times include the start of the CLI on a busy machine.

- ${versions.join(', ')}
- faults that pass: ${answered('proxy')} of ${recoverable.length} answered through the proxy, ${answered('alone')} alone
- lasting failures that the proxy hid: ${hidden}
- questions that the proxy sent again after words had come: ${repeated}
- a limit of ${HOLD_SECONDS / 60} minutes was waited out for real by: ${held.join(', ')}

## Runs that ended right, of ${CLIENTS.length}

${table().join('\n')}

Gemini's clients get words before "overloaded inside the stream", so nothing may be sent again. [proxy-matrix.csv](proxy-matrix.csv)
has every run with its time.

${rightActions()}

## Byte by byte

\`differential.ts\` puts a tap before and behind the proxy. All exchanges of the five CLIs, and of the SDKs of OpenAI, Anthropic and
Google (in the suite), are equal in path, status and body. Headers that differ: \`host\`, \`accept-encoding\` and \`connection\` of
requests, \`keep-alive\` of answers; keys and \`x-mulligan-token\` where the config says so.
`
}

function rightActions(): string {
  const file = join(root, 'scripts', 'proxy-matrix', 'right-actions.json')
  const { date, results } = JSON.parse(readFileSync(file, 'utf8')) as {
    date: string
    results: RightActions[]
  }
  const rows = results.map(
    ({ name, set, answered, answerable, stopped, hopeless, inVain }) =>
      `| ${name} | ${set} | ${answered} of ${answerable} | ${stopped} of ${hopeless} | ${inVain} |`,
  )
  return `## Right actions

Failures of the blind sets of [accuracy](accuracy.md) that are HTTP answers, given by the first of two vendors while the second is
well (\`right-actions.ts\`, ${date}). Right is an answer where the failure passes or is the account's (limits, outages, keys, bills), and
to stop at once where the request itself is wrong. What was cut after its first words nobody can answer; it counts against all.

| gateway | set up with | answered | stopped | requests in vain |
|---|---|---|---|---|
${rows.join('\n')}

Read it with care: the rule of what is right was written by us, knowing our policy, and our classifier was mended after each of these sets was graded;
each gateway ran once, in one set-up that we chose,
and better-ccflare's may be a bad one; ours ran in the script's process, with fresh health for each failure. Policies, missing things, config
errors and unsure labels are left out. Waiting out a limit is not in it. claude-code-router 3.1.1 does not install; LiteLLM is no npm package.`
}
