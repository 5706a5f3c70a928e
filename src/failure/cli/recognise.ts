import { anyOf, mayContain, prefilterOf } from '../text/prefilter.ts'
import type { AgentEvent } from './event.ts'
import type { AgentProfile } from './profile.ts'
import { PROFILES } from './profiles.ts'

const BY_NAME: ReadonlyMap<string, AgentProfile> = new Map(
  PROFILES.flatMap(profile => profile.names.map(name => [name, profile] as const)),
)

/** The agent CLI that a provider's name refers to; undefined for other programs. */
export function profileOf(provider: string | undefined): AgentProfile | undefined {
  if (!provider) return undefined
  const name = provider.slice(provider.lastIndexOf('/') + 1).toLowerCase()
  return BY_NAME.get(name) ?? BY_NAME.get(name.replaceAll(/[_ ]/g, '-'))
}

const BY_TEXT = PROFILES.flatMap(profile => {
  const patterns = [profile.text?.opening, profile.text?.signs].filter(pattern => pattern !== undefined)
  return patterns.length === 0 ? [] : [{ profile, patterns }]
})
const TEXT_WORDS = anyOf(...BY_TEXT.flatMap(({ profile }) => profile.text?.words ?? []))

/** The agent CLI that prints such a text. */
export function profileOfText(text: string): AgentProfile | undefined {
  if (text === '' || !mayContain(prefilterOf(text), TEXT_WORDS)) return undefined
  return BY_TEXT.find(({ patterns }) => patterns.some(pattern => pattern.test(text)))?.profile
}

const BY_EVENT = PROFILES.filter(({ isOwnEvent }) => isOwnEvent !== undefined)

/** The agent CLI that prints such an event, if only one does. */
export function profileOfEvent(event: AgentEvent): AgentProfile | undefined {
  return BY_EVENT.find(profile => profile.isOwnEvent?.(event))
}
