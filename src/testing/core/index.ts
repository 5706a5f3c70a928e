export { FakeTime } from './fake-time.ts'
export { Script } from './script.ts'
export { scriptedCall } from './scripted-call.ts'
export { failureOfKind } from './scripted-failure.ts'
