export { type ChatModel, resilientModel } from './resilient-model.ts'
