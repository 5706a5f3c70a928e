import { realTime } from '../../src/time/time.ts'
import { MovableTime } from '../time/movable-time.ts'

// Loaded before a program with `node --import`, it lets the test that started the program move its time forward. For tests.

const time = new MovableTime({ ...realTime })
realTime.now = () => time.now()
realTime.monotonic = () => time.monotonic()
realTime.after = (ms, callback) => time.after(ms, callback)

process.on('message', ({ advanceMs }: { advanceMs: number }) => time.advance(advanceMs))
process.channel?.unref()
