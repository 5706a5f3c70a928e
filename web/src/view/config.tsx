import { useSignal } from '@preact/signals'
import { useResource } from '../live/resource.ts'
import { Foreign } from '../part/foreign.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { LedgerSizePanel } from './ledger-size.tsx'

interface Value {
  path: string
  value: unknown
  is_set?: boolean
  from: 'file' | 'environment' | 'flag' | 'default'
  file?: string
  line?: number
  variable?: string
  flag?: string
}

/** The values in force, and the origin of each. */
export function Config() {
  const wanted = useSignal('')
  const isAll = useSignal(false)
  const config = useResource<{ file: string | null; values: Value[] }>('/v1/config', {
    when: () => false,
    everyMs: 30_000,
  })
  return (
    <>
      <PageHead title="Config" />
      <LedgerSizePanel />
      <Shown of={config}>
        {({ file, values }) => {
          const words = wanted.value.toLowerCase()
          const shown = values.filter(
            value =>
              (isAll.value || value.from !== 'default') &&
              `${value.path} ${JSON.stringify(value.value)}`.toLowerCase().includes(words),
          )
          return (
            <Panel
              title={file === null ? 'No file: defaults are in force' : <code>{file}</code>}
              actions={
                <>
                  <label class="check">
                    <input
                      type="checkbox"
                      checked={isAll.value}
                      onChange={event => {
                        isAll.value = event.currentTarget.checked
                      }}
                    />{' '}
                    Include defaults
                  </label>
                  <input
                    class="input narrow"
                    type="search"
                    aria-label="Search the config"
                    placeholder="Search"
                    value={wanted.value}
                    onInput={event => {
                      wanted.value = event.currentTarget.value
                    }}
                  />
                </>
              }
              tight
            >
              {shown.length === 0 && words !== '' ? (
                <Empty title="Nothing matches">
                  {isAll.value
                    ? 'Keys and values were searched.'
                    : 'Only values that are set were searched. Tick “Include defaults” to search all.'}
                </Empty>
              ) : shown.length === 0 ? (
                <Empty title="Nothing is set: defaults are in force" command="mulligan config show">
                  Tick “Include defaults” to see them, or write a mulligan.toml.
                </Empty>
              ) : (
                <div class="scroll-x">
                  <table class="table stacking dense">
                    <thead>
                      <tr>
                        <th scope="col">Key</th>
                        <th scope="col">Value</th>
                        <th scope="col">From</th>
                      </tr>
                    </thead>
                    {groupsOf(shown).map(([group, values]) => (
                      <tbody key={group}>
                        <tr class="group">
                          <th scope="rowgroup" colSpan={3}>
                            {group}
                          </th>
                        </tr>
                        {values.map(value => (
                          <tr key={value.path}>
                            <td>
                              <code>{value.path}</code>
                            </td>
                            <td class="mono">
                              <Foreign text={JSON.stringify(value.value)} />
                              {value.is_set === false ? <span class="refusal small"> is not set</span> : null}
                            </td>
                            <td class="soft">{originInWords(value)}</td>
                          </tr>
                        ))}
                      </tbody>
                    ))}
                  </table>
                </div>
              )}
            </Panel>
          )
        }}
      </Shown>
    </>
  )
}

/** Values by their table in the config: `provider[claude]`, `queue`. */
function groupsOf(values: readonly Value[]): [string, Value[]][] {
  const groups = new Map<string, Value[]>()
  for (const value of values) {
    const [group = value.path] = /^[^.[]+(?:\[[^\]]*\])?/.exec(value.path) ?? []
    groups.set(group, [...(groups.get(group) ?? []), value])
  }
  return [...groups]
}

function originInWords({ from, line, variable, flag }: Value): string {
  if (flag) return `flag ${flag}`
  if (variable) return `variable ${variable}`
  if (line !== undefined) return `line ${line}`
  return from
}
