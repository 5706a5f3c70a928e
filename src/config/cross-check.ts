import { AGENT_CLIS } from './agent-clis.ts'
import { Checked, type Entry } from './check.ts'
import { checkSchedule } from './check-schedule.ts'
import { checkErrorSignatures, checkPatterns, checkSignature } from './check-signature.ts'
import { checkSurface } from './check-surface.ts'
import { checkUpstream } from './check-upstream.ts'
import { checkWorkflow } from './check-workflow.ts'
import type { Mistake } from './issue.ts'
import type { Path } from './toml/position.ts'

/** Checks across several values: names that must exist, keys that exclude or require each other. */
export function crossCheck(written: Entry): Mistake[] {
  const checked = new Checked(written)
  for (const { entry, path } of checked.entries('provider')) checkProvider(checked, entry, path)
  for (const { entry, path } of checked.entries('pool')) checkPool(checked, entry, path)
  for (const { entry, path } of checked.entries('council')) checkCouncil(checked, entry, path)
  for (const { entry, path } of checked.entries('capability')) checkCapability(checked, entry, path)
  for (const { entry, path } of checked.entries('schedule')) checkSchedule(checked, entry, path)
  for (const { entry, path } of checked.entries('signature')) checkSignature(checked, entry, path)
  for (const { entry, path } of checked.entries('surface')) checkSurface(checked, entry, path)
  for (const { entry, path } of checked.entries('workflow')) checkWorkflow(checked, entry, path)
  for (const { entry, path } of checked.entries('group')) checkGroup(checked, entry, path)
  for (const { entry, path } of checked.entries('upstream')) checkUpstream(checked, entry, path)
  checkRedact(checked)
  checkPolicy(checked)
  for (const list of ['provider', 'pool', 'council']) checked.distinct(checked.entries(list), 'id')
  for (const list of ['capability', 'schedule', 'surface', 'workflow', 'group', 'upstream'])
    checked.distinct(checked.entries(list), 'name')
  return checked.mistakes
}

/** Every text is searched with each of them. */
const MOST_PATTERNS = 100

function checkRedact(checked: Checked): void {
  const redact = checked.table('redact')
  if (Array.isArray(redact?.patterns) && redact.patterns.length > MOST_PATTERNS)
    checked.mistake(
      ['redact', 'patterns'],
      `has ${redact.patterns.length} patterns; at most ${MOST_PATTERNS} are allowed`,
    )
  else checkPatterns(checked, redact, 'patterns', ['redact'])
}

function checkProvider(checked: Checked, entry: Entry, path: Path): void {
  if (entry.cli === 'command' && entry.command === undefined)
    checked.mistake(path, 'needs "command": the program to run for cli = "command"')
  checkModelApi(checked, entry, path)
  const probe = checked.table('probe', entry)
  if (probe) {
    checked.oneOf(probe, [...path, 'probe'], ['argv', 'prompt'])
    if (probe.prompt !== undefined && entry.cli === undefined)
      checked.mistake([...path, 'probe', 'prompt'], 'needs a provider with "cli"; give "argv" instead')
  }
  checkVariables(checked, entry, path)
  const caps = checked.entries('caps', entry, path)
  for (const { entry: cap, path: at } of caps) {
    if (['usd', 'tokens', 'requests'].every(key => cap[key] === undefined))
      checked.mistake(at, 'needs at least one of "usd", "tokens" or "requests"')
  }
  checked.distinct(caps, 'per')
  checkErrorSignatures(checked, entry, path)
}

function checkModelApi(
  checked: Checked,
  { api, base_url: url, model_names: names }: Entry,
  path: Path,
): void {
  if (api === undefined)
    for (const [key, value] of Object.entries({ base_url: url, model_names: names }))
      if (value !== undefined) checked.mistake([...path, key], 'needs "api": the model API that is there')
  if (typeof url !== 'string' || /^(?:env|file):/.test(url)) return
  const parsed = URL.parse(url)
  if (!/^https?:$/.test(parsed?.protocol ?? ''))
    checked.mistake([...path, 'base_url'], 'must be a URL that starts with "https://" or "http://"')
  else if (parsed?.username || parsed?.password)
    checked.mistake([...path, 'base_url'], 'must not contain a user name or password; give "credential"')
}

function checkVariables(checked: Checked, entry: Entry, path: Path): void {
  for (const name of Object.keys(checked.table('env', entry) ?? {})) {
    if (name === '' || /[=\0]/.test(name))
      checked.mistake([...path, 'env', name], 'is not a valid variable name')
  }
}

function checkGroup(checked: Checked, { pool }: Entry, path: Path): void {
  if (typeof pool !== 'string') return
  // A provider is a pool of one.
  checked.isOneOf(pool, [...path, 'pool'], 'pool', [...checked.ids('pool'), ...checked.ids('provider')])
}

function checkPool(checked: Checked, entry: Entry, path: Path): void {
  if (!Array.isArray(entry.providers)) return
  const seen = new Set<unknown>()
  entry.providers.forEach((name: unknown, index) => {
    if (typeof name !== 'string') return
    const at = [...path, 'providers', index]
    if (seen.has(name)) checked.mistake(at, `lists ${JSON.stringify(name)} twice`)
    else checked.exists(name, at, 'provider')
    seen.add(name)
  })
  for (const key of ['models', 'weights'])
    for (const name of Object.keys(checked.table(key, entry) ?? {}))
      checked.isOneOf(name, [...path, key, name], 'provider', [...seen] as string[])
  if (entry.routing !== undefined && entry.weights !== undefined)
    checked.mistake([...path, 'routing'], 'conflicts with "weights": give one of them')
}

function checkCouncil(checked: Checked, entry: Entry, path: Path): void {
  const members = checked.entries('members', entry, path)
  for (const { entry: member, path: at } of members) {
    checked.oneOf(member, at, ['provider', 'command'])
    checked.refersTo(member, at, 'provider', 'provider')
  }
  checked.distinct(members, 'name')
  if (typeof entry.quorum === 'number' && members.length >= 2 && entry.quorum > members.length)
    checked.mistake(
      [...path, 'quorum'],
      `must be at most ${members.length} (the number of members), not ${entry.quorum}`,
    )
  const aggregator = checked.table('aggregator', entry)
  if (!aggregator) return
  checked.oneOf(aggregator, [...path, 'aggregator'], ['provider', 'command'])
  checked.refersTo(aggregator, [...path, 'aggregator'], 'provider', 'provider')
}

function checkCapability(checked: Checked, entry: Entry, path: Path): void {
  if (typeof entry.name === 'string' && entry.name.startsWith('notice:'))
    checked.mistake([...path, 'name'], 'must not start with "notice:", which is reserved for surfaces')
  checked.oneOf(entry, path, ['argv', 'http', 'agent', 'module'])
  checked.oneOf(entry, path, ['provider', 'pool'], entry.agent !== undefined)
  checked.refersTo(entry, path, 'provider', 'provider')
  checked.refersTo(entry, path, 'pool', 'pool')
  if (entry.agent !== undefined) checkAgent(checked, entry, path)
  for (const key of ['env', 'stdin', 'cwd'])
    if (entry[key] !== undefined && entry.argv === undefined)
      checked.mistake([...path, key], 'needs "argv": it is only for commands')
  if (entry.output !== undefined && entry.argv === undefined && entry.http === undefined)
    checked.mistake([...path, 'output'], 'needs "argv" or "http"')
  checkVariables(checked, entry, path)
  const verify = checked.table('verify', entry)
  if (verify) checked.oneOf(verify, [...path, 'verify'], ['argv', 'http'])
  if (verify && entry.retry !== 'verify_first')
    checked.mistake([...path, 'verify'], 'is used only with retry = "verify_first"')
  // A function brings its own verification.
  if (!verify && entry.retry === 'verify_first' && entry.module === undefined)
    checked.mistake([...path, 'retry'], 'needs a "verify" table')
}

/** An agent runs through a CLI, so every provider that may serve it needs one. */
function checkAgent(checked: Checked, { provider, pool }: Entry, path: Path): void {
  const members = checked.entries('pool').find(({ entry }) => entry.id === pool)?.entry.providers
  const servers = provider === undefined ? (Array.isArray(members) ? members : []) : [provider]
  for (const { entry } of checked.entries('provider')) {
    // The name of a CLI names it too, as for `mulligan run`.
    const isAgent = entry.cli !== undefined || AGENT_CLIS.some(cli => cli === entry.id && cli !== 'command')
    if (servers.includes(entry.id) && !isAgent)
      checked.mistake([...path, 'agent'], `needs providers with "cli"; provider "${entry.id}" has none`)
  }
}

function checkPolicy(checked: Checked): void {
  const policy = checked.table('policy')
  if (!policy) return
  const overrides = checked.entries('override', policy, ['policy'])
  for (const { entry, path } of overrides) {
    checked.oneOf(entry, path, ['class', 'kind'])
    if (['treat_as', 'max_retries', 'backoff', 'min_retry_budget'].every(key => entry[key] === undefined))
      checked.mistake(
        path,
        'changes nothing: give "treat_as", "max_retries", "backoff" or "min_retry_budget"',
      )
  }
  checked.distinct(overrides, 'class')
  checked.distinct(overrides, 'kind')
}
