export { FakeTime } from './fake-time.ts'
