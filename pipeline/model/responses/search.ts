import { z } from 'zod'
import { AgentTypeOrUnknown } from '../documents/index.ts'
import { AgentUrl, PublisherDomain } from '../shared-fields.ts'
import { BrandItem, MemberName, PropertyItem } from './index.ts'

export const PublisherMatch = z
  .looseObject({
    domain: PublisherDomain,
    member: MemberName.nullable().describe(
      'Member that the domain belongs to; null if there is none',
    ),
  })
  .meta({ id: 'PublisherMatch', description: 'A publisher, and the member it belongs to, if any' })
export type PublisherMatch = z.infer<typeof PublisherMatch>

export const AgentMatch = z
  .looseObject({
    agent_url: AgentUrl,
    name: z
      .string()
      .nullable()
      .describe('Name that the agent or its member gives; null if neither gives one'),
    type: AgentTypeOrUnknown.describe(
      'Type of the agent, such as `sales`; `unknown` if no one has declared one',
    ),
    publisher_count: z
      .int()
      .nonnegative()
      .describe('Number of publishers that authorize the agent'),
  })
  .meta({ id: 'AgentMatch', description: 'An agent that a search found' })
export type AgentMatch = z.infer<typeof AgentMatch>

export const SearchAnswer = z
  .looseObject({
    brands: z
      .array(BrandItem)
      .describe('The five best-matching brands; `/api/brands/registry?search=` lists all of them'),
    publishers: z.array(PublisherMatch).describe('The five best-matching publishers'),
    properties: z
      .array(PropertyItem)
      .describe(
        'The five best-matching properties; `/api/properties/registry?search=` lists all of them',
      ),
    agents: z
      .array(AgentMatch)
      .describe('The five best-matching agents; `/api/registry/agents/{url}` has more about each'),
  })
  .meta({ id: 'SearchAnswer', description: 'The best matches of each kind' })
export type SearchAnswer = z.infer<typeof SearchAnswer>

export const FoundBrands = z
  .looseObject({
    results: z
      .array(BrandItem)
      .describe('The best matches; `/api/brands/registry?search=` lists all of them'),
  })
  .meta({ id: 'FoundBrands', description: 'Brands that match a query, best matches first' })
export type FoundBrands = z.infer<typeof FoundBrands>
