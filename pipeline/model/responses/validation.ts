import { z } from 'zod'
import { AdagentsCounts, AdagentsValidation, AgentCheck } from '../live.ts'
import { ReportedFault } from '../reported-fault.ts'
import { ManagerDomain, Success } from '../shared-fields.ts'

const text = z.string()

const Timestamp = z.iso.datetime().describe('Moment at which the file was checked')
const Domain = text.describe('Domain that was asked about, in its normal form')
const verdict = AdagentsValidation.shape

export const AdagentsValidated = z
  .looseObject({
    success: Success.describe('Always true: the check was made, whatever it found'),
    data: z
      .looseObject({
        domain: Domain,
        found: z.boolean().describe('Whether the file is there'),
        validation: AdagentsValidation,
        agent_cards: z
          .array(AgentCheck)
          .optional()
          .describe('Its agents, the first ten; absent where the file is not valid'),
        agents_unchecked: z
          .int()
          .optional()
          .describe('How many more agents it names, which were not asked; absent where none'),
      })
      .describe('All that was found'),
    valid: verdict.valid,
    errors: verdict.errors,
    warnings: verdict.warnings,
    timestamp: Timestamp,
  })
  .meta({
    id: 'AdagentsValidated',
    description: 'A file that was read just now; the result stands in `data.validation` and on top',
  })

export const AdagentsCreated = z
  .looseObject({
    success: Success,
    data: z
      .looseObject({
        success: Success,
        adagents_json: text.describe('The file as text, ready to be served'),
        validation: AdagentsValidation,
      })
      .describe('The file and what a check finds of it'),
    timestamp: Timestamp,
  })
  .meta({ id: 'AdagentsCreated', description: 'A file ready to be served, as text' })

export const PublisherValidated = z
  .looseObject({
    valid: verdict.valid,
    domain: Domain,
    url: verdict.url.optional(),
    discovery_method: verdict.discovery_method,
    manager_domain: ManagerDomain.optional(),
    ...AdagentsCounts.shape,
    errors: z.array(ReportedFault).describe('Faults because of which it is not valid'),
    warnings: z.array(ReportedFault).describe('Faults that lose only a part of it'),
  })
  .meta({ id: 'PublisherValidated', description: 'Whether a publisher is in order, in numbers' })
