import { OWN_OPTIONS } from '../src/agent/arguments.ts'
import { CLIS } from '../src/agent/clis.ts'
import { OPTION_NAMES, OPTION_RULES, type OptionName } from '../src/agent/options.ts'
import { AGENT_CLIS, type AgentCli } from '../src/config/agent-clis.ts'

const COLUMNS = AGENT_CLIS.filter(cli => cli !== 'command')

/** The table of docs/reference/agent-options.md: each option, and its flag in each CLI. */
export function optionTable(): string {
  const rows = OPTION_NAMES.map(name => {
    const { json } = OPTION_RULES[name]
    const first = json === name ? `\`${name}\`` : `\`${name}\`, \`${json}\``
    return [first, ...COLUMNS.map(cli => cell(cli, name))]
  })
  return [['option, in JSON', ...COLUMNS], ['---', ...COLUMNS.map(() => '---')], ...rows]
    .map(row => `| ${row.join(' | ')} |`)
    .join('\n')
}

function cell(cli: AgentCli, name: OptionName): string {
  const { takes, tellsCost } = CLIS[cli]
  const flag = takes[name]?.flag
  if (flag !== undefined) return `\`${flag}\``
  if (name === 'maxBudgetUsd') return tellsCost ? 'our sum' : 'our sum, with a `price`'
  return OWN_OPTIONS[name] ?? '–'
}
