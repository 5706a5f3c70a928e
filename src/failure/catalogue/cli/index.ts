import type { Rule } from '../rule.ts'

export default [] satisfies Rule[]
