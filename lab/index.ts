export { setupsFor, type ToolSetup } from './environment.ts'
export { type Expectation, expectationOf, type Fault } from './fault/fault.ts'
export { FAULT_NAMES, FAULTS, type FaultName, faultName, LabError } from './fault/table.ts'
export {
  ANSWER_DEFAULT,
  KEEP_DEFAULT,
  type Lab,
  type LabOptions,
  SLOW_DEFAULT_MS,
  WAIT_DEFAULT_MS,
} from './lab.ts'
export { CHANCE_FAULTS, type Chance } from './plan/plan.ts'
export { seededRandom } from './plan/random.ts'
export { type FaultStep, parseScript, stepToJson } from './plan/step.ts'
export { type LabRecord, recordToJson } from './record.ts'
export type { LabRequest, Vendor } from './request.ts'
export { startLab } from './start.ts'
