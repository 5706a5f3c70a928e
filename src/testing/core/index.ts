export { FakeTime } from './fake-time.ts'
export { Script, type ScriptedTry, type ScriptStep } from './script.ts'
export { scriptedCall } from './scripted-call.ts'
export { failureOfKind } from './scripted-failure.ts'
