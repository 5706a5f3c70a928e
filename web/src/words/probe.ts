/** How a probe ended, as the daemon tells it. */
export interface ProbeAnswer {
  provider: string
  outcome: 'answered' | 'failed' | 'environment' | 'skipped'
  reason: string
}

/** How a probe ended, after the provider's name. */
export function probeInWords({ provider, outcome, reason }: ProbeAnswer): string {
  switch (outcome) {
    case 'answered':
      return `${provider} answered`
    case 'failed':
      return `${provider} failed its probe: ${reason}`
    case 'environment':
      return `The probe of ${provider} could not run: ${reason}`
    case 'skipped':
      return `${provider} was not probed: ${reason}`
  }
}
