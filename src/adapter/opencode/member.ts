import type { CouncilMember } from '../../call/council-options.ts'
import { askOpencode, type OpencodeRequest } from './ask.ts'
import type { OpencodeClient, OpencodeModel } from './client.ts'

/** Settings of a council member behind opencode. */
export interface OpencodeMemberOptions extends OpencodeRequest {
  model: OpencodeModel
  /** Name of the member. Default `provider/model`. */
  name?: string
}

/** A model behind opencode as a member of a council. Each try is a new child session, aborted at the end. */
export function opencodeMember(
  client: OpencodeClient,
  options: OpencodeMemberOptions,
): CouncilMember<string> {
  const { providerID, modelID } = options.model
  const name = options.name ?? `${providerID}/${modelID}`
  return {
    name,
    provider: providerID,
    model: modelID,
    ask: context => askOpencode(client, { title: `council: ${name}`, ...options }, context),
  }
}
