/**
 * The schema that all steps together make, as one text: a new ledger is made by it in a third of their time. The build
 * replaces it; the sources take the steps.
 */
export const WHOLE_SCHEMA: string | undefined = undefined
