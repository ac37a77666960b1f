import { z } from 'zod'
import { toIso } from '../../pipeline/core/clock.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { type AdagentsReport, AdagentsValidation } from '../../pipeline/model/live/live.ts'
import {
  AdagentsCreated,
  AdagentsValidated,
  PublisherValidated,
} from '../../pipeline/model/responses/validation.ts'
import { PastedDomain } from '../inputs/fields.ts'
import { FileToCheck } from '../inputs/proposed-file.ts'
import { buildAgeHeader, type OutboundAnswer } from '../limits/outbound.ts'
import { PublicDomain, requirePublic } from '../live/public-host.ts'
import { toTaskOrigin } from '../operation/answering.ts'
import { defineOperation } from '../operation/operation.ts'
import type { Services } from '../operation/services.ts'
import { replyOk } from '../responses/reply.ts'
import { buildUnknownFaults, listUnknownAgents } from '../responses/unknown-agents.ts'
import type { TaskResult } from '../workers/tasks.ts'

/** Time in addition to the crawler's own in which its answer is awaited. */
const SLACK_MS = 1_000
/** Maximum bytes of an answer; callers refuse longer ones. */
const ANSWER_BYTES_MAX = 256 * 1024 - 1_024

const errors = ['invalid_request', 'unavailable'] as const
const bodyErrors = ['too_large', 'unsupported_media_type'] as const
const live =
  'The file is read now: the domain’s own file, the file it points to, or the file of the manager named in the domain’s ads.txt. ' +
  'Each issue has a `field`, a stable `code` and a fix. A file that cannot be fetched is invalid.'

export const validateAdagents = defineOperation({
  id: 'validateAdagents',
  method: 'POST',
  path: '/api/adagents/validate',
  group: 'Validation Tools',
  summary: 'Check a domain’s adagents.json and its agents, or a file before it is served',
  description: `${live} If the file is valid, its first ten agents are called. With \`document\` only that file is checked; issues have a \`line\` and \`column\`.`,
  access: 'public',
  cache: 'none',
  worksWithoutStores: true,
  body: FileToCheck,
  reply: { 200: AdagentsValidated },
  errors: [...errors, ...bodyErrors],
  handle: async ({ body, caller, services, ...call }) => {
    const { document } = body
    if (document !== undefined) {
      const origin = toTaskOrigin({ ...call, caller })
      const now = services.clock.now()
      const proposed = { ...body, document }
      const checked = await services.workers.run('checkProposal', origin, proposed, now)
      return replyOk(await addUnknownAgents(checked, services))
    }
    const domain = body.domain as Domain
    const checked = await checkAdagentsNow(domain, { agents: true, caller: caller() }, services)
    const { found, validation, agent_cards, agents_unchecked } = checked.answer
    const { valid, errors, warnings } = validation
    const timestamp = toIso(services.clock.now() - checked.ageMs)
    const data = {
      domain,
      found,
      validation,
      ...(agent_cards && { agent_cards }),
      ...(agents_unchecked !== undefined && agents_unchecked > 0 && { agents_unchecked }),
    }
    const answer = { success: true, data, valid, errors, warnings, timestamp }
    return replyOk(fitAnswer(answer, validation), buildAgeHeader(checked))
  },
})

/** Adds to the result of a check the agents that the registry does not know. */
async function addUnknownAgents(
  { answer, agents }: TaskResult<'checkProposal'>,
  { reader }: Services,
): Promise<TaskResult<'checkProposal'>['answer']> {
  const faults = await buildUnknownFaults(listUnknownAgents(agents, reader), reader)
  const warnings = [...answer.warnings, ...faults]
  const { data } = answer
  return { ...answer, data: { ...data, validation: { ...data.validation, warnings } }, warnings }
}

export const validateProperty = defineOperation({
  id: 'validateProperty',
  method: 'GET',
  path: '/api/properties/validate',
  group: 'Property Resolution',
  summary: 'Check a domain’s adagents.json',
  description: live,
  access: 'public',
  cache: 'none',
  worksWithoutStores: true,
  query: z.object({ domain: PublicDomain }),
  reply: { 200: AdagentsValidation },
  errors,
  handle: async ({ query: { domain }, caller, services }) => {
    const options = { agents: false, caller: caller(), mustBePublic: true }
    const checked = await checkAdagentsNow(domain, options, services)
    const { validation } = checked.answer
    return replyOk(fitAnswer(validation, validation), buildAgeHeader(checked))
  },
})

export const validatePublisher = defineOperation({
  id: 'validatePublisher',
  method: 'GET',
  path: '/api/public/validate-publisher',
  group: 'Agent Probing',
  summary: 'Validate a publisher’s file and count its declarations',
  description: `${live} Counts are 0 if the file is invalid.`,
  access: 'public',
  cache: 'none',
  worksWithoutStores: true,
  query: z.object({ domain: PastedDomain }),
  reply: { 200: PublisherValidated },
  errors,
  handle: async ({ query, caller, services }) => {
    const options = { agents: false, caller: caller() }
    const checked = await checkAdagentsNow(query.domain as Domain, options, services)
    const { validation, counts } = checked.answer
    const { valid, domain, url, discovery_method, manager_domain, errors, warnings } = validation
    const body = {
      valid,
      domain,
      url,
      discovery_method,
      ...(manager_domain !== undefined && { manager_domain }),
      ...counts,
      errors,
      warnings,
    }
    return replyOk(body, buildAgeHeader(checked))
  },
})

interface CheckOptions {
  agents: boolean
  caller: string
  /** Refuses a name that does not resolve. */
  mustBePublic?: boolean
  /** True if a recent answer is not good enough. */
  mustBeNew?: boolean
}

/** Has a crawler check the adagents.json of a domain now. */
export function checkAdagentsNow(
  domain: Domain,
  { agents, caller, mustBePublic, mustBeNew = false }: CheckOptions,
  services: Services,
): Promise<OutboundAnswer<AdagentsReport>> {
  return services.outbound.ask<'check_adagents'>({
    cacheKey: `adagents ${agents} ${mustBePublic === true} ${domain}`,
    caller,
    mustBeNew,
    ms: services.config.LIMITS.validateMs + SLACK_MS,
    async request() {
      if (mustBePublic) await requirePublic('domain', domain, services)
      return { kind: 'check_adagents', domain, agents }
    },
  })
}

/** Fits the answer to the size that callers accept, by leaving out the contents of the file if necessary. */
function fitAnswer<Answer extends object>(answer: Answer, validation: AdagentsValidation): Answer {
  if (Buffer.byteLength(JSON.stringify(answer)) <= ANSWER_BYTES_MAX) return answer
  const { raw_data: _, ...lean } = validation
  const cut = { ...lean, raw_data_truncated: true }
  const { data } = answer as { data?: object }
  return data === undefined
    ? { ...answer, ...cut, raw_data: undefined }
    : { ...answer, data: { ...data, validation: cut } }
}

const list = z.array(z.unknown()).optional()
const map = z.record(z.string(), z.unknown()).optional()
const asWritten = 'as in adagents.json; left out if there are none'

export const createAdagentsFile = defineOperation({
  id: 'createAdagents',
  method: 'POST',
  path: '/api/adagents/create',
  group: 'Validation Tools',
  summary: 'Generate an adagents.json',
  description:
    'The parts are copied as given, in a fixed order, and nothing is added. A file with errors is rejected, with a list of what to fix.',
  access: 'public',
  cache: 'none',
  worksWithoutStores: true,
  isExpensive: true,
  body: z.looseObject({
    authorized_agents: z
      .array(z.unknown())
      .describe('Agents and what they can sell, as in adagents.json'),
    include_schema: z
      .boolean()
      .default(true)
      .describe('Whether the file includes the URL of its schema'),
    include_timestamp: z
      .boolean()
      .default(true)
      .describe('Whether the file includes its creation time'),
    properties: list.describe(`Properties, ${asWritten}`),
    collections: list.describe(`Collections, ${asWritten}`),
    formats: list.describe(`Formats, ${asWritten}`),
    placements: list.describe(`Placements, ${asWritten}`),
    signals: list.describe(`Signals, ${asWritten}`),
    catalog_etag: z.string().optional().describe('Version of the catalog, as you name it'),
    catalog_role: z.string().optional().describe('Role of the catalog; usually left out'),
    tags: map.describe(`Property tags and their meanings, ${asWritten}`),
    placement_tags: map.describe(`Placement tags and their meanings, ${asWritten}`),
    signal_tags: map.describe(`Signal tags and their meanings, ${asWritten}`),
  }),
  reply: { 200: AdagentsCreated },
  errors: ['invalid_request', 'rate_limited', 'unavailable', ...bodyErrors],
  handle: async ({ body, services: { clock, workers }, ...call }) => {
    const now = clock.now()
    const origin = toTaskOrigin(call)
    const { text, validation } = await workers.run('createAdagents', origin, body, now)
    const data = { success: true, adagents_json: text, validation }
    const answer = { success: true, data, timestamp: toIso(now) }
    if (Buffer.byteLength(JSON.stringify(answer)) > ANSWER_BYTES_MAX) {
      refuse('too_large', 'the file is too large to be generated here')
    }
    return replyOk(answer)
  },
})
