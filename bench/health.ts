import { writeFileSync } from 'node:fs'
import { figure } from './figures.ts'
import { chartOf } from './health-chart.ts'
import { BUDGET_MS, FORGETFUL, ROUTERS, type Router, TRIES } from './health-routers.ts'
import { DAY, type Incident, PROVIDERS, World } from './health-world.ts'
import { median, seeded } from './measure.ts'

const CALLS = 100_000
/** Another day may be given as a second argument; the picture is of this one. */
const SEED_OF_PICTURE = 20_260_105
const SEED = Number(process.argv[3] ?? SEED_OF_PICTURE)

export interface Result {
  name: string
  successRate: number
  wasted: number
  ofOutage: number
  ofQuota: number
  ofRecovery: number
  /** Medians over the outages of the preferred provider, seconds; undefined if it never happened. */
  noticeS: number | undefined
  returnS: number | undefined
}

/** Plays the whole day for one router. Its clock is the only clock: what asks for Date.now() gets it too. */
async function play(name: string, router: Router): Promise<Result> {
  const world = new World(SEED)
  const { time } = world
  const realNow = Date.now
  Date.now = () => time.now()
  try {
    const run = router(world)
    const random = seeded(SEED + 2)
    let served = 0
    let ended = 0
    await time.until(
      new Promise<void>(resolve => {
        let begun = 0
        const arrive = () => {
          world.calls.push(time.now())
          void run().then(isServed => {
            if (isServed) served++
            if (++ended === CALLS) resolve()
          })
          // Calls come at random, on average so that they fill the day.
          if (++begun < CALLS) time.after(-Math.log(1 - random()) * (DAY / CALLS), arrive)
        }
        arrive()
      }),
    )
    const { outage, quota, recovery } = world.tally.wasted
    return {
      name,
      successRate: served / CALLS,
      wasted: outage + quota + recovery,
      ofOutage: outage,
      ofQuota: quota,
      ofRecovery: recovery,
      ...turnsOf(world, FORGETFUL.has(name)),
    }
  } finally {
    Date.now = realNow
  }
}

/** When the router turned away from the preferred provider after an outage began, and back after it ended. */
function turnsOf(
  world: World,
  isForgetful: boolean,
): { noticeS: number | undefined; returnS: number | undefined } {
  const notices: number[] = []
  const returns: number[] = []
  const sends = world.primarySends
  for (const { from, until } of world.incidents[0] as Incident[]) {
    const sentAt = new Set(sends.filter(({ at }) => at >= from && at < until).map(({ at }) => at))
    // The first call of the outage that was not sent there at all.
    const spared = world.calls.find(at => at >= from && at < until && !sentAt.has(at))
    if (spared !== undefined) notices.push((spared - from) / 1_000)
    const back = sends.find(({ at, served }) => at >= until && served)
    if (back) returns.push((back.at - until) / 1_000)
  }
  return {
    noticeS: notices.length > 0 && !isForgetful ? median(notices) : undefined,
    returnS: returns.length > 0 ? median(returns) : undefined,
  }
}

const say = (line = '') => process.stdout.write(`${line}\n`)
const seconds = (value: number | undefined) => (value === undefined ? 'never' : `${value.toFixed(1)} s`)

const results: Result[] = []
for (const [name, router] of Object.entries(ROUTERS)) results.push(await play(name, router))

say(
  `${CALLS} calls over a day of fake time, ${PROVIDERS.length} providers in order of preference, seed ${SEED}.`,
)
say(`Every call has ${TRIES} tries and ${BUDGET_MS / 1_000} s, whoever routes it.`)
say()
say('| | served | wasted | in outages | on used-up quota | in recoveries | noticed after | back after |')
say('|---|---|---|---|---|---|---|---|')
for (const result of results) {
  const { name, successRate, wasted, ofOutage, ofQuota, ofRecovery, noticeS, returnS } = result
  say(
    `| ${name} | ${(successRate * 100).toFixed(3)} % | ${wasted} | ${ofOutage} | ${ofQuota} | ${ofRecovery} | ${seconds(noticeS)} | ${seconds(returnS)} |`,
  )
}

if (SEED === SEED_OF_PICTURE)
  writeFileSync(new URL('../docs/health.svg', import.meta.url), chartOf(results, CALLS))
const [ours, ...others] = results as [Result, ...Result[]]
figure({
  what: `requests wasted of ${CALLS} calls`,
  unit: '',
  better: 'less',
  values: Object.fromEntries(results.map(({ name, wasted }) => [name, wasted])),
})
if (others.some(({ wasted }) => wasted <= ours.wasted)) throw new Error('somebody wasted fewer calls')
const better = others.filter(({ successRate }) => successRate > ours.successRate)
for (const { name, successRate } of better)
  say(`\n${name} served ${Math.round((successRate - ours.successRate) * CALLS)} calls more than Mulligan.`)
if (SEED === SEED_OF_PICTURE && better.length > 0) throw new Error('somebody served more calls')
