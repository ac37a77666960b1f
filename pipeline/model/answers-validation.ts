import { z } from 'zod'
import { AdagentsCounts, AdagentsValidation, AgentCheck } from './live.ts'
import { ReportedFault } from './reported-fault.ts'

const text = z.string()
const timestamp = z.iso.datetime()

export const AdagentsValidated = z
  .looseObject({
    success: z.literal(true),
    data: z.looseObject({
      domain: text,
      found: z.boolean(),
      validation: AdagentsValidation,
      agent_cards: z.array(AgentCheck).optional(),
      agents_unchecked: z.int().optional(),
    }),
    valid: z.boolean(),
    errors: z.array(ReportedFault),
    warnings: z.array(ReportedFault),
    timestamp,
  })
  .meta({
    id: 'AdagentsValidated',
    description: 'A file that was read just now; the result stands in `data.validation` and on top',
  })

export const AdagentsCreated = z
  .looseObject({
    success: z.literal(true),
    data: z.looseObject({
      success: z.literal(true),
      adagents_json: text,
      validation: AdagentsValidation,
    }),
    timestamp,
  })
  .meta({ id: 'AdagentsCreated', description: 'A file ready to be served, as text' })

export const PublisherValidated = z
  .looseObject({
    valid: z.boolean(),
    domain: text,
    url: text.optional(),
    discovery_method: text,
    manager_domain: text.optional(),
    ...AdagentsCounts.shape,
    errors: z.array(ReportedFault),
    warnings: z.array(ReportedFault),
  })
  .meta({ id: 'PublisherValidated', description: 'Whether a publisher is in order, in numbers' })
