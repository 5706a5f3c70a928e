import type { ClassifyContext } from '../failure/context.ts'

/** The signatures of one provider. The classifier gets the name of its CLI, but operators write the provider's. */
export function signaturesFor(
  provider: string,
  { signatures }: Pick<ClassifyContext, 'signatures'>,
): Pick<ClassifyContext, 'signatures'> {
  if (!signatures) return {}
  return { signatures: 'matchAll' in signatures ? signatures : signatures.get(provider) }
}
