import { measures } from './queue-measures.ts'
import { peers } from './queue-peers.ts'

// One measure of one queue: once to warm up, once to count. Prints the figure alone.
const [name, title = ''] = process.argv.slice(2)
const { all, stop } = await peers()
const peer = all.find(candidate => candidate.name === name)
const run = measures[title]
if (!peer || !run) throw new Error(`no queue ${name}, or no measure ${title}`)
let figure = 0
for (let round = 0; round < 2; round++) {
  const subject = await peer.open()
  figure = await run(subject)
  await subject.close()
}
stop()
process.stdout.write(`${figure}`)
process.exit()
