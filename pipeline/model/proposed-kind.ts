/** Files that can be checked before they are served. */
export const proposedKinds = ['adagents.json', 'brand.json'] as const
export type ProposedKind = (typeof proposedKinds)[number]
