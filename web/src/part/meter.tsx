import type { WindowUse } from '../api/answers.ts'
import { countInShort, usdInWords } from '../words/number.ts'
import { Moment } from './moment.tsx'

/** How full a window is. */
export function Meter({ use }: { use: WindowUse }) {
  const share = use.level === 'exhausted' && use.source === 'filled' ? 1 : use.used / use.limit
  const percent = Math.min(100, Math.round(share * 100))
  const name = use.window
  return (
    <div class="meter" data-level={use.level}>
      <div class="words">
        <span>{name}</span>
        <span>{amountInWords(use)}</span>
      </div>
      <div
        class="track"
        role="meter"
        aria-label={`${name} window`}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <div class="fill" style={{ width: `${percent}%` }} />
      </div>
      {use.level === 'exhausted' && use.until ? (
        <div class="words">
          <span>{use.source === 'filled' ? 'used up, as the provider said' : 'used up'}</span>
          <span>
            opens <Moment at={use.until} />
          </span>
        </div>
      ) : null}
    </div>
  )
}

function amountInWords({ unit, used, limit }: WindowUse): string {
  if (unit === 'usd') return `${usdInWords(used)} of ${usdInWords(limit)}`
  if (unit === 'share') return `${Math.round(used * 100)}%`
  return `${countInShort(used)} of ${countInShort(limit)} ${unit}`
}
