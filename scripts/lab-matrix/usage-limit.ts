import type { Lab } from '../../lab/lab.ts'

/** Refuses all requests until then. Every refusal states the same end. */
export function limitUntil(lab: Pick<Lab, 'clear' | 'inject'>, end: number): void {
  const restate = () => {
    lab.clear()
    const waitMs = end - Date.now()
    if (waitMs <= 0) clearInterval(timer)
    else lab.inject({ fault: 'usage_limit', times: 'always', waitMs })
  }
  const timer = setInterval(restate, 500)
  restate()
}
