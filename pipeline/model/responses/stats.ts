import { z } from 'zod'

const text = z.string()
const count = z.int().nonnegative()

export const RegistryStats = z
  .looseObject({
    seq: count.describe('Number of the commit to which the counts apply'),
    total_brands: count.describe('Domains with a known brand'),
    total_publishers: count.describe('Publishers with a valid file'),
    total_agents: count.describe('Agents that any publisher’s file names'),
    total_properties: count.describe('Active properties of all publishers'),
    registered_agents: count.describe('Public agents that members added'),
    registered_publishers: count.describe(
      'Publishers with a valid file whose domain a member holds',
    ),
    discovered_agents: count.describe('The same as `total_agents`'),
    discovered_publishers: count.describe(
      'Publishers whose own file was valid at least once. The page `/publishers` also lists those of which only a file hosted here is known',
    ),
    discovered_properties: count.describe('Properties that are active or stale'),
    authorizations: count.describe('Grants in force'),
    authorizations_by_source: z
      .record(text, count)
      .describe('Number of authorizations from each source'),
    properties_by_type: z
      .record(text, count)
      .describe('Active properties by the types that the format defines'),
  })
  .meta({ id: 'RegistryStats', description: 'Counts of the registry, as of commit `seq`' })
export type RegistryStats = z.infer<typeof RegistryStats>
