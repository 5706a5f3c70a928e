export { askOpencode, type OpencodeRequest } from './ask.ts'
export type { OpencodeClient, OpencodeModel, OpencodeResult } from './client.ts'
export { OpencodeEvents, type SessionNews } from './events.ts'
export { type OpencodeMemberOptions, opencodeMember } from './member.ts'
