import { FAULT_NAMES, FAULTS } from '../lab/fault/table.ts'

/** The table of docs/reference/faults.md: each fault of the lab, and how it is classified. */
export function faultTable(): string {
  const rows = FAULT_NAMES.map(name => {
    const { summary, expected } = FAULTS[name]
    const meaning = expected === null ? 'no failure' : `${expected.class}/${expected.kind}`
    return `| \`${name}\` | ${summary} | ${meaning} |`
  })
  const head = '| fault | what the vendor or the network does | Mulligan classifies it as |'
  return [head, '|---|---|---|', ...rows].join('\n')
}
