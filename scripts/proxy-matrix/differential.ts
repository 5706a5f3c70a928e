import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { differingHeaders, type Exchange, startTap } from '../../test/gateway/proxy/tap.ts'
import { installClis } from '../lab-matrix/install.ts'
import { startCountingProxy } from './proxy.ts'
import { CLIENTS, runClient } from './run-cli.ts'
import { SCENES, type Scene } from './scenes.ts'
import { startVendor } from './vendor.ts'

// Real agent CLIs through the proxy, with a tap before and behind it: what goes in must come out, byte by byte.

const root = fileURLToPath(new URL('../..', import.meta.url))
const bin = await installClis(join(root, '.cache', 'lab-clis'), console.error, CLIENTS)
let isSame = true

for (const client of CLIENTS) {
  const vendor = await startVendor(SCENES[0] as Scene)
  const behind = await startTap(vendor.lab.url)
  const proxy = await startCountingProxy(behind.url, 60_000)
  const before = await startTap(proxy.url)
  const { isAnswered } = await runClient(client, bin, before.url, 120_000)
  const requests = new Set<string>()
  const answers = new Set<string>()
  let bodies = 0
  for (const asked of before.exchanges) {
    const sent = behind.exchanges.find(one => isOf(one, asked))
    if (
      !sent ||
      !asked.answered.body.equals(sent.answered.body) ||
      asked.answered.status !== sent.answered.status
    ) {
      isSame = false
      console.log(
        `${client}: ${asked.asked.method} ${asked.asked.path} ${asked.answered.status} differs${sent ? '' : ': not sent on'}`,
      )
      continue
    }
    bodies++
    for (const name of differingHeaders(asked.asked, sent.asked)) requests.add(name)
    for (const name of differingHeaders(sent.answered, asked.answered)) answers.add(name)
  }
  console.log(
    `${client}: ${isAnswered ? 'answered' : 'NOT ANSWERED'}, ${bodies} of ${before.exchanges.length} exchanges equal; headers of requests that differ: ${[...requests].sort().join(', ')}; of answers: ${[...answers].sort().join(', ')}`,
  )
  await before.close()
  await proxy.stop()
  await behind.close()
  await vendor.close()
}
process.exitCode = isSame ? 0 : 1

function isOf({ asked: one }: Exchange, { asked: other }: Exchange): boolean {
  return one.method === other.method && one.path === other.path && one.body.equals(other.body)
}
