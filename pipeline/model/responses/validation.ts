import { z } from 'zod'
import { AdagentsCounts, AdagentsValidation, AgentCheck } from '../live/live.ts'
import { ReportedFault } from '../reported-fault.ts'
import { ManagerDomain, Success } from '../shared-fields.ts'

const text = z.string()

const Timestamp = z.iso.datetime().describe('Time at which the file was checked')
const Domain = text.describe('Requested domain, normalized')
const verdict = AdagentsValidation.shape

export const AdagentsValidated = z
  .looseObject({
    success: Success.describe('Always true: the check was carried out, whatever the result'),
    data: z
      .looseObject({
        domain: Domain,
        found: z.boolean().describe('Whether the file exists'),
        validation: AdagentsValidation,
        agent_cards: z
          .array(AgentCheck)
          .optional()
          .describe(
            'Results for the first ten agents in the file; absent if the file is not valid',
          ),
        agents_unchecked: z
          .int()
          .optional()
          .describe(
            'Number of other agents in the file, which were not called; absent if there are none',
          ),
      })
      .describe('Results of the check'),
    valid: verdict.valid,
    errors: verdict.errors,
    warnings: verdict.warnings,
    timestamp: Timestamp,
  })
  .meta({
    id: 'AdagentsValidated',
    description:
      'Check of a file that was read just now; the result is in `data.validation` and at the top level',
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
      .describe('The file, with the result of its check'),
    timestamp: Timestamp,
  })
  .meta({ id: 'AdagentsCreated', description: 'A new adagents.json, as text' })

export const PublisherValidated = z
  .looseObject({
    valid: verdict.valid,
    domain: Domain,
    url: verdict.url.optional(),
    discovery_method: verdict.discovery_method,
    manager_domain: ManagerDomain.optional(),
    ...AdagentsCounts.shape,
    errors: z.array(ReportedFault).describe('Issues that make the file invalid'),
    warnings: z.array(ReportedFault).describe('Issues that affect only part of the file'),
  })
  .meta({ id: 'PublisherValidated', description: 'Counts of a publisher’s file, and its issues' })
