import { useSignal } from '@preact/signals'
import type { z } from 'zod'
import type { HoldJson } from '../../../src/gateway/proxy/hold-shape.ts'
import type { spend } from '../../../src/ledger/bill-shape.ts'
import { post } from '../api/request.ts'
import { useResource } from '../live/resource.ts'
import { Choice } from '../part/choice.tsx'
import { Confirm } from '../part/confirm.tsx'
import { DaemonWords } from '../part/daemon-words.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { Table } from '../part/table.tsx'
import { tell, tellProblem } from '../part/toast.tsx'
import { countInShort, countInWords, usdInWords } from '../words/number.ts'
import { providerInWords } from '../words/surface.ts'

type Spend = z.output<typeof spend>

/** The model proxy: the questions that wait in it, and what was spent today. */
export function ProxyView() {
  return (
    <>
      <PageHead title="Proxy" />
      <Holds />
      <Spent />
    </>
  )
}

/** Holds are no events: they are asked for. */
const HOLDS_EVERY_MS = 2_000

function Holds() {
  const holds = useResource<{ url: string | null; holds: HoldJson[] }>('/v1/proxy/holds', {
    when: () => false,
    everyMs: HOLDS_EVERY_MS,
  })
  const refusing = useSignal<HoldJson | undefined>(undefined)
  const change = async (id: string, action: 'release' | 'refuse') => {
    try {
      await post(`/v1/proxy/holds/${encodeURIComponent(id)}/${action}`)
      tell(action === 'release' ? 'Released: its provider is asked again' : 'Refused: its client is told')
    } catch (error) {
      tellProblem(error)
    }
    holds.reload()
  }
  return (
    <Panel title="Waiting" tight>
      <Shown of={holds}>
        {({ url, holds: all }) =>
          url === null ? (
            <Empty title="No proxy is running" command="mulligan proxy">
              Agents use it as their base URL; when a limit is reached, their questions wait here.
            </Empty>
          ) : all.length === 0 ? (
            <Empty title="No question waits" command="mulligan proxy env claude">
              Agents reach the proxy at {url}.
            </Empty>
          ) : (
            <Table heads={['Client', 'Waits for', 'Since', 'Until']} hasActions>
              {all.map(hold => (
                <HoldRow
                  key={hold.id}
                  hold={hold}
                  onRelease={() => void change(hold.id, 'release')}
                  onRefuse={() => {
                    refusing.value = hold
                  }}
                />
              ))}
            </Table>
          )
        }
      </Shown>
      {refusing.value ? (
        <Confirm
          title="Refuse this question?"
          keep="Let it wait"
          action="Refuse"
          onClose={isWanted => {
            const { id } = refusing.value as HoldJson
            refusing.value = undefined
            if (isWanted) void change(id, 'refuse')
          }}
        >
          <p>
            <Foreign text={refusing.value.client} /> gets the failure instead of waiting, and may give up.
          </p>
        </Confirm>
      ) : null}
    </Panel>
  )
}

function HoldRow({
  hold: { client, model, provider, since, until, reason },
  onRelease,
  onRefuse,
}: {
  hold: HoldJson
  onRelease: () => void
  onRefuse: () => void
}) {
  return (
    <tr data-row tabIndex={-1}>
      <td>
        <strong>
          <Foreign text={client} />
        </strong>
        <div class="soft small">{model === null ? null : <Foreign text={model} />}</div>
      </td>
      <td>
        {provider === null ? (
          'a provider'
        ) : (
          <a href={`/providers/${encodeURIComponent(provider)}`}>{providerInWords(provider)}</a>
        )}
        <div class="soft small">
          <DaemonWords text={reason} />
        </div>
      </td>
      <td>
        <span class="narrow-only">since </span>
        <Moment at={since} />
      </td>
      <td>
        <span class="narrow-only">until </span>
        {until === null ? <span class="soft">not said</span> : <Moment at={until} as="both" past="now" />}
      </td>
      <td class="number">
        <button type="button" class="button" onClick={onRelease}>
          Release
        </button>{' '}
        <button type="button" class="button danger" onClick={onRefuse}>
          Refuse
        </button>
      </td>
    </tr>
  )
}

const PLACES = ['client', 'session', 'provider', 'model'] as const
type Place = (typeof PLACES)[number]

function Spent() {
  const by = useSignal<Place>('client')
  const spent = useResource<{ since: string; spend: Spend[] }>(`/v1/spend?by=${by.value}`, {
    when: () => false,
    everyMs: 10_000,
  })
  return (
    <Panel
      title="Spent today"
      actions={
        <Choice
          label="Spent by"
          value={by.value}
          options={PLACES.map(place => [place, place] as const)}
          onChange={place => {
            by.value = place
          }}
        />
      }
      tight
    >
      <Shown of={spent}>
        {({ spend: all }) =>
          all.length === 0 ? (
            <Empty title="Nothing was spent today">
              The usage that answers report is counted here, and priced by [[price]] in mulligan.toml.
            </Empty>
          ) : (
            <SpendTable by={by.value} all={all} />
          )
        }
      </Shown>
    </Panel>
  )
}

function SpendTable({ by, all }: { by: Place; all: readonly Spend[] }) {
  return (
    <Table heads={[`${by[0]?.toUpperCase()}${by.slice(1)}`, 'Cost', 'Tries', 'Tokens in', 'Tokens out']}>
      {all.map(row => (
        <tr key={row[by]} data-row tabIndex={-1}>
          <td>
            <Foreign
              text={(by === 'provider' ? providerInWords(row.provider ?? '') : row[by]) || 'not named'}
            />
          </td>
          <td>
            {usdInWords(row.usd)}
            {row.unpriced === 0 ? null : (
              <span class="soft small"> and {countInWords(row.unpriced)} without a price</span>
            )}
          </td>
          <td>
            <span class="narrow-only">tries: </span>
            {countInWords(row.tries)}
            {row.failed === 0 ? null : <span class="soft small"> {countInWords(row.failed)} failed</span>}
          </td>
          <td>
            <span class="narrow-only">tokens in: </span>
            {countInShort(row.usage.input_tokens)}
          </td>
          <td>
            <span class="narrow-only">tokens out: </span>
            {countInShort(row.usage.output_tokens)}
          </td>
        </tr>
      ))}
    </Table>
  )
}
