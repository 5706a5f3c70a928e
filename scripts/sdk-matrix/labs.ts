import { afterEach } from 'vitest'
import { type FaultStep, startLab } from '../../lab/index.ts'
import { Health } from '../../src/provider/health.ts'

type Script = readonly FaultStep[]
type Lab = Awaited<ReturnType<typeof startLab>>

const opened: Lab[] = []
afterEach(() => Promise.all(opened.splice(0).map(lab => lab.close())))

/** A vendor that does what its script says. */
export async function vendor(
  script: Script = [],
  answer?: NonNullable<Parameters<typeof startLab>[0]>['answer'],
): Promise<Lab> {
  const lab = await startLab({ script, ...(answer === undefined ? {} : { answer }) })
  opened.push(lab)
  return lab
}

export const always = (fault: Script[number]['fault'], inStream = false): Script => [
  { fault, times: 'always', inStream },
]

/** One's own health, and no waiting. */
export const quick = () => ({ health: new Health(), random: () => 0 })
