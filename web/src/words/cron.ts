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

function weekdayInWords(weekday: string): string | undefined {
  if (weekday === '*') return 'every day'
  if (weekday === '1-5') return 'Monday to Friday'
  const day = isNumber(weekday) ? DAYS[Number(weekday)] : undefined
  return day && `every ${day}`
}

function isNumber(field: string): boolean {
  return /^\d{1,2}$/.test(field)
}
