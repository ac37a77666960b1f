import { z } from 'zod'

/** A field by which people narrow a directory: its label, and a word for each value. */
export interface ChoiceField {
  label: string
  words: Readonly<Record<string, string>>
}

/** The choices that the form of a directory offers; the first order is the one without a choice. */
export interface DirectoryChoices {
  fields: Readonly<Record<string, ChoiceField>>
  sorts: Readonly<Record<string, string>>
}

export const brandChoices = {
  fields: {
    type: {
      label: 'Type',
      words: {
        master: 'Master brand or not stated',
        sub_brand: 'Sub-brand',
        endorsed: 'Endorsed brand',
        independent: 'Independent brand',
      },
    },
    source: {
      label: 'Source',
      words: {
        brand_json: 'From its own file',
        house_file: 'From its house’s file',
        file_elsewhere: 'From the file it points to',
        community: 'Added by a member',
        enriched: 'Third party',
      },
    },
  },
  sorts: { name: 'Name', changed: 'Latest change' },
} as const satisfies DirectoryChoices

export const publisherChoices = {
  fields: {
    type: {
      label: 'File location',
      words: {
        direct: 'On its own site',
        authoritative_location: 'Where its own file points',
        ads_txt_managerdomain: 'With the manager named in ads.txt',
        adagents_authoritative: 'At the host it names',
      },
    },
    state: {
      label: 'File status',
      words: { valid: 'Valid or usable', invalid: 'Invalid', hosted: 'Hosted here' },
    },
    sells: { label: 'Agents', words: { yes: 'Authorizes agents', no: 'Authorizes no agents' } },
  },
  sorts: {
    domain: 'Domain',
    agents: 'Most agents',
    properties: 'Most properties',
    changed: 'Latest change',
  },
} as const satisfies DirectoryChoices

export const agentChoices = {
  fields: {
    type: {
      label: 'Type',
      words: {
        sales: 'Sales',
        buying: 'Buying',
        creative: 'Creative',
        signals: 'Signals',
        measurement: 'Measurement',
        governance: 'Governance',
        brand: 'Brand',
        rights: 'Rights',
        unknown: 'Unknown',
      },
    },
    state: {
      label: 'State',
      words: { online: 'Online', offline: 'Offline', unchecked: 'Not checked' },
    },
    verified: { label: 'Badge', words: { yes: 'Verified', no: 'None' } },
  },
  sorts: {
    publishers: 'Most publishers',
    properties: 'Most properties',
    newest: 'Newest',
    address: 'URL',
  },
} as const satisfies DirectoryChoices

/** The address of an agent may be in it. */
const CURSOR_CHARS = 4_000

/** Builds the schema of a directory's query; a form sends an empty text where nothing is chosen. */
export function createDirectoryQuery({ fields, sorts }: DirectoryChoices) {
  const choose = (words: Readonly<Record<string, string>>) =>
    z.preprocess(value => value || undefined, z.enum(Object.keys(words)).optional())
  return z.object({
    ...Object.fromEntries(Object.entries(fields).map(([name, { words }]) => [name, choose(words)])),
    sort: choose(sorts),
    cursor: z.string().max(CURSOR_CHARS).optional(),
  })
}

/** Chosen values by the name of the field. */
export type Chosen = Readonly<Record<string, string | undefined>>

/** Kinds of results that a search may be narrowed to. */
export const foundKinds = ['brands', 'publishers', 'agents', 'properties'] as const
export type FoundKind = (typeof foundKinds)[number]
