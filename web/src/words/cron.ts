import { listInWords } from './list.ts'

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

const NAMED: Readonly<Record<string, string>> = {
  '@yearly': 'every year',
  '@annually': 'every year',
  '@monthly': 'every month',
  '@weekly': 'every week',
  '@daily': 'every day',
  '@midnight': 'every day at midnight',
  '@hourly': 'every hour',
}

/** The common cron expressions in words: `every day at 02:30`. Undefined for others, which are shown unchanged. */
export function cronInWords(cron: string): string | undefined {
  const named = NAMED[cron.trim().toLowerCase()]
  if (named) return named
  const fields = cron.trim().split(/\s+/)
  if (fields.length !== 5) return undefined
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  if (day !== '*' || month !== '*') return undefined
  const when = weekdayInWords(weekday)
  if (when === undefined) return undefined
  const isEveryDay = weekday === '*'
  if (hour === '*') {
    if (!isEveryDay) return undefined
    if (minute === '*') return 'every minute'
    const [, step] = /^\*\/(\d+)$/.exec(minute) ?? []
    if (step !== undefined) return `every ${step} minutes`
    return isNumber(minute) ? `every hour at :${minute.padStart(2, '0')}` : undefined
  }
  if (!isNumber(minute) || !isNumber(hour)) return undefined
  return `${when} at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
}

/** `MON-FRI` as Monday to Friday, `1,3` as every Monday and Wednesday. */
function weekdayInWords(weekday: string): string | undefined {
  if (weekday === '*') return 'every day'
  const parts = weekday.split(',').map(part => part.split('-').map(dayOf))
  const names = parts.map(days =>
    days.every(day => day !== undefined) && days.length <= 2 ? days.join(' to ') : undefined,
  )
  if (names.includes(undefined)) return undefined
  const all = listInWords(names as string[])
  return parts.length === 1 && parts[0]?.length === 2 ? all : `every ${all}`
}

function dayOf(name: string): string | undefined {
  if (isNumber(name)) return DAYS[Number(name)]
  return /^[a-z]{3}$/i.test(name)
    ? DAYS.find(day => day.toLowerCase().startsWith(name.toLowerCase()))
    : undefined
}

function isNumber(field: string): boolean {
  return /^\d{1,2}$/.test(field)
}
