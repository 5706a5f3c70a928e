export { resilientModel } from './resilient-model.ts'
