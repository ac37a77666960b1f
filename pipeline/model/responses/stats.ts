import { z } from 'zod'

const text = z.string()
const count = z.int().nonnegative()

export const RegistryStats = z
  .looseObject({
    seq: count.describe('Number of the commit to which the counts apply'),
    total_brands: count.describe('Number of domains with a known brand'),
    total_publishers: count.describe('Number of publishers with a valid file'),
    total_agents: count.describe('Number of agents that any publisher’s file names'),
    total_properties: count.describe('Number of active properties of all publishers'),
    registered_agents: count.describe('Number of public agents that members added'),
    registered_publishers: count.describe(
      'Number of publishers with a valid file whose domain a member holds',
    ),
    discovered_agents: count.describe('The same as `total_agents`'),
    discovered_publishers: count.describe(
      'Number of publishers whose own file was valid at least once; the page `/publishers` also lists publishers with only a file hosted here',
    ),
    discovered_properties: count.describe('Number of properties that are active or stale'),
    authorizations: count.describe('Number of grants in force'),
    authorizations_by_source: z
      .record(text, count)
      .describe('Number of authorizations from each source'),
    properties_by_type: z
      .record(text, count)
      .describe('Number of active properties of each type that the format defines'),
  })
  .meta({ id: 'RegistryStats', description: 'Counts of the registry, as of commit `seq`' })
export type RegistryStats = z.infer<typeof RegistryStats>
