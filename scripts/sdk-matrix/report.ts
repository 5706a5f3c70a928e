import { isCallFailed } from '../../src/call/call-failed.ts'
import type { Client } from './clients.ts'
import type { Fault } from './faults.ts'
import { linesInWords } from './lines.ts'
import type { Ending } from './run.ts'

/** One question: a client and a fault, asked in several ways. */
export interface Cell {
  client: Client
  fault: Fault
  without: Ending
  withPeers: Readonly<Record<string, Ending>>
  withUs: Ending
  /** By the wrapper of the client. */
  inOneLine: Ending
}

const isFault = ({ fault }: Cell) => fault.of !== 'good'

/** Ended well, but not with the answer that was asked for. */
const isSilent = (ending: Ending | undefined) => ending?.how === 'silent'
const isWrongClass = ({ fault, withUs }: Cell) =>
  fault.of !== 'good' && withUs.class !== undefined && !fault.classes.includes(withUs.class)
/** Some clients fail on good streams by themselves. */
const isFalse = ({ fault, without, withUs }: Cell) =>
  fault.of === 'good' &&
  without.how === 'answered' &&
  (withUs.how !== 'answered' || withUs.class !== undefined || withUs.finish !== fault.finish)

/** True if the second provider could have answered, but the program got an error. */
const isLost = ({ fault, withUs }: Cell) =>
  isFault({ fault } as Cell) && !fault.isLate && withUs.how !== 'answered' && !isFinal(fault)
/** The same request fails the same way everywhere. */
const isFinal = ({ classes, name }: Fault) => classes.includes('permanent') && !/40[134]/.test(name)
const isRaw = ({ withUs }: Cell) => withUs.how === 'told' && !isCallFailed(withUs.error)

/** What must not be, one line each. */
export function problemsOf(cells: readonly Cell[]): string[] {
  const lines = (what: string, test: (cell: Cell) => boolean) =>
    cells.filter(test).map(({ client, fault, withUs }) => {
      const said = `${withUs.how}, ${withUs.class ?? '-'}/${withUs.kind ?? '-'}, finish ${withUs.finish ?? '-'}`
      const error = withUs.error instanceof Error ? ` (${withUs.error.message.slice(0, 160)})` : ''
      return `${what}: ${client.name} × ${fault.name}: ${said}${error}`
    })
  return [
    ...lines('silent', cell => isFault(cell) && isSilent(cell.withUs)),
    ...lines('hangs', ({ withUs }) => withUs.how === 'hangs'),
    ...lines('over budget', ({ withUs }) => withUs.isLate),
    ...lines('over budget in one line', ({ inOneLine }) => inOneLine.isLate),
    ...lines('doubled', ({ withUs }) => withUs.isDoubled),
    ...lines('false failure', isFalse),
    ...lines('wrong class', isWrongClass),
    ...lines('not failed over', isLost),
    ...lines('unclassified error', isRaw),
    ...lines('silent in one line', cell => isFault(cell) && isSilent(cell.inOneLine)),
    ...lines('hangs in one line', ({ inOneLine }) => inOneLine.how === 'hangs'),
    ...lines('doubled in one line', ({ inOneLine }) => inOneLine.isDoubled),
    ...lines(
      'false failure in one line',
      ({ fault, without, inOneLine }) =>
        fault.of === 'good' && without.how === 'answered' && inOneLine.how !== 'answered',
    ),
    ...lines(
      'not failed over in one line',
      ({ fault, inOneLine }) =>
        isFault({ fault } as Cell) && !fault.isLate && !isFinal(fault) && inOneLine.how !== 'answered',
    ),
  ]
}

/** How a question was asked: one of ours, or the name of a peer. */
type Way = string

const endingOf = (cell: Cell, way: Way): Ending | undefined =>
  way === 'without' || way === 'withUs' || way === 'inOneLine' ? cell[way] : cell.withPeers[way]

/** A good answer that the program did not get; with others around it, one that the client alone gets. */
const isMissed = (cell: Cell, way: Way) =>
  cell.fault.of === 'good' &&
  endingOf(cell, way)?.how !== 'answered' &&
  (way === 'without' || cell.without.how === 'answered')

function counts(cells: readonly Cell[], way: Way) {
  const asked = cells.filter(cell => endingOf(cell, way) !== undefined)
  const of = (how: Ending['how']) =>
    asked.filter(cell => isFault(cell) && endingOf(cell, way)?.how === how).length
  return {
    questions: asked.filter(isFault).length,
    answered: of('answered'),
    told: of('told'),
    silent: of('silent'),
    hangs: of('hangs'),
    late: asked.filter(cell => endingOf(cell, way)?.isLate).length,
    doubled: asked.filter(cell => endingOf(cell, way)?.isDoubled).length,
    falseFailures: asked.filter(cell => isMissed(cell, way)).length,
  }
}

const LIBRARIES = ['openai', 'anthropic', 'genai', 'ai sdk', 'langchain', 'fetch'] as const
const WRAPPERS: Record<string, string> = { 'ai sdk': '`resilient`', langchain: '`resilientModel`' }

/** Each library by itself, as lines of a CSV file. */
export function matrixCsv(cells: readonly Cell[]): string {
  const rows = LIBRARIES.flatMap(library => {
    const own = cells.filter(({ client }) => client.of === library)
    const ways = waysIn(own).map(([name, way]): [string, Way] => [
      way === 'inOneLine' ? (WRAPPERS[library] ?? '`resilientFetch`') : name,
      way,
    ])
    return ways.map(([name, way]) => [library, name, ...Object.values(counts(own, way))].join())
  })
  return ['client,with,questions,answered,told,silent,hangs,late,doubled,false', ...rows, ''].join('\n')
}

/** How these questions were asked, with the words for it. */
function waysIn(cells: readonly Cell[]): [string, Way][] {
  const names = [...new Set(cells.flatMap(({ withPeers }) => Object.keys(withPeers)))]
  return [
    ['client alone', 'without'],
    ...names.map((name): [string, Way] => [name, name]),
    ['`call`', 'withUs'],
    ['our wrapper', 'inOneLine'],
  ]
}

export function page(
  cells: readonly Cell[],
  clients: readonly Client[],
  strays: number,
  tools: Readonly<Record<string, number>>,
): string {
  const rows = waysIn(cells).map(
    ([name, way]) => `| ${name} | ${Object.values(counts(cells, way)).join(' | ')} |`,
  )
  const ours = cells.filter(isFault)
  const known = ours.filter(({ withUs }) => withUs.class !== undefined)
  const wrong = known.filter(isWrongClass).length
  const faults = (of: Fault['of']) =>
    new Set(cells.filter(({ fault }) => fault.of === of).map(({ fault }) => fault.name))
  return `# SDK matrix: what programs are told

\`npm run sdk:matrix\` asks real clients through a server that fails in ${faults('stream').size} ways within a stream and ${faults('other').size} others, in the shapes of
OpenAI chat and responses, Anthropic and Gemini: ${clients.length} ways to ask, ${clients.filter(({ streams }) => streams).length} of them streaming. Each question is asked with the client alone,
with the library that fails over for it (ai-fallback and ai-retry for the AI SDK, \`withFallbacks\` of LangChain), inside a \`call\` with a second
provider that answers, and with the wrapper of [sdks.md](sdks.md). The clients' own retries are off. Versions are in \`scripts/sdk-matrix/package.json\`.

- **answered**: the program got the whole answer. After the first words of a stream nobody can give another one.
- **told**: it got an error.
- **silent**: it got a wrong or incomplete answer as if all were well.
- **hangs**: it still waited after twelve seconds; in a call \`firstChunkMs\` and \`idleMs\` are three.
- **late**: it took longer than ten seconds, the \`budgetMs\` of a call and of our wrappers. The others have no such bound.
- **doubled**: the beginning of the answer came twice. **false**: a good answer was taken for a failed one; in the
  rows with others, one that the client alone gets.

| with | questions | answered | told | silent | hangs | late | doubled | false |
|---|--:|--:|--:|--:|--:|--:|--:|--:|
${rows.join('\n')}

[sdk-matrix.csv](sdk-matrix.csv) has each library by itself.

Of ${known.length} failures that a call classified, ${wrong} (${((100 * wrong) / Math.max(1, known.length)).toFixed(1)} %) got the wrong class. A call left ${strays === 0 ? 'no promise' : `${strays} promises`} rejected without a listener.

An agent streams five steps, and the fifth fails in three ways, after its tool call too. Tools ran again: ${Object.entries(
    tools,
  )
    .map(([name, count]) => `${count} with ${name}`)
    .join(', ')}.

Lines (characters) that a user writes for a second model, with the import: ${linesInWords()}.

With \`withoutRetries\`, each of eight clients makes one request for a question that is refused.

The good answers are whole, in one piece, with pings, with other line ends, cut at their token limit, and filtered; and ${[...faults('good')].filter(name => name.startsWith('recorded')).length}
recorded streams of servers that speak like OpenAI's chat (Ollama, vLLM, llama.cpp, OpenRouter, Groq, DeepSeek, SGLang and
others), some of which end with nothing but \`[DONE]\`, which clients do not show.
`
}
