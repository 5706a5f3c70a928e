export type { Plan, PlanStep } from '../plan/plan.ts'
export {
  defineWorkflow,
  type StepHandle,
  type StepOptions,
  type When,
  type WorkflowDefinition,
} from './define.ts'
export { defineGroup, type Group, type GroupDefinition } from './define-group.ts'
export { isWorkflowError, WorkflowError, type WorkflowErrorCode } from './error.ts'
export { type GroupMember, Groups, type GroupView } from './groups.ts'
export { mermaidOf } from './mermaid.ts'
export type { Reference } from './reference.ts'
export { WorkflowRegistry } from './registry.ts'
export type { MemberResult, StartedGroup } from './started-group.ts'
export type { StartedRun } from './started-run.ts'
export type { StepState } from './step-state.ts'
export type { RunStatus, RunView, StepView, Wait } from './view.ts'
export { isWorkflow, type StartOptions, type Workflow } from './workflow.ts'
export { runToJson } from './workflow-json.ts'
export { WorkflowService, type WorkflowServiceOptions } from './workflow-service.ts'
export { type By, type Continuing, Workflows } from './workflows.ts'
