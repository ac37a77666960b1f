import { z } from 'zod'
import { isoOf } from '../../pipeline/core/clock.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import {
  AdagentsCreated,
  AdagentsValidated,
  PublisherValidated,
} from '../../pipeline/model/answers-validation.ts'
import { AdagentsValidation } from '../../pipeline/model/live.ts'
import { createAdagents } from '../create-adagents.ts'
import { PastedDomain } from '../fields.ts'
import { operation } from '../operation.ts'
import { PublicDomain, requirePublic } from '../public-host.ts'
import { ok } from '../reply.ts'
import type { Services } from '../services.ts'

/** What is waited beyond the time that a crawler takes for it. */
const SLACK_MS = 1_000
/** Callers refuse longer answers. */
const ANSWER_BYTES = 256 * 1024 - 1_024

const errors = ['invalid_request', 'rate_limited', 'unavailable'] as const
const ofBodies = ['too_large', 'unsupported_media_type'] as const
const live =
  'The file is read just now: the domain’s own, the one it points to, or where there is none that ' +
  'of the manager its ads.txt names. Each fault has a `field`, a stable `code` and what to do. A ' +
  'file that cannot be had is not valid. Questions to the web are limited.'

export const validateAdagents = operation({
  id: 'validateAdagents',
  method: 'POST',
  path: '/api/adagents/validate',
  group: 'Validation Tools',
  summary: 'Check the adagents.json of a domain, and its agents',
  description: `${live} Agents are asked when the file is valid: the first ten, for a few seconds.`,
  access: 'public',
  cache: 'none',
  body: z.object({ domain: PastedDomain }),
  reply: { 200: AdagentsValidated },
  errors: [...errors, ...ofBodies],
  handle: async ({ body, caller, services }) => {
    const domain = body.domain as Domain
    const { found, validation, agent_cards, agents_unchecked } = await check(
      domain,
      { agents: true, caller: caller() },
      services,
    )
    const { valid, errors, warnings } = validation
    const timestamp = isoOf(services.clock.now())
    const data = {
      ...{ domain, found, validation },
      ...(agent_cards && { agent_cards }),
      ...(agents_unchecked !== undefined && agents_unchecked > 0 && { agents_unchecked }),
    }
    return ok(fitted({ success: true, data, valid, errors, warnings, timestamp }, validation))
  },
})

export const validateProperty = operation({
  id: 'validateProperty',
  method: 'GET',
  path: '/api/properties/validate',
  group: 'Property Resolution',
  summary: 'Check the adagents.json of a domain',
  description: live,
  access: 'public',
  cache: 'none',
  query: z.object({ domain: PublicDomain }),
  reply: { 200: AdagentsValidation },
  errors,
  handle: async ({ query: { domain }, caller, services }) => {
    const asked = { agents: false, caller: caller(), mustBePublic: true }
    const { validation } = await check(domain, asked, services)
    return ok(fitted(validation, validation))
  },
})

export const validatePublisher = operation({
  id: 'validatePublisher',
  method: 'GET',
  path: '/api/public/validate-publisher',
  group: 'Agent Probing',
  summary: 'Check a publisher: its file, and how much is in it',
  description: `${live} The numbers are 0 when the file is not valid.`,
  access: 'public',
  cache: 'none',
  query: z.object({ domain: PastedDomain }),
  reply: { 200: PublisherValidated },
  errors,
  handle: async ({ query, caller, services }) => {
    const asked = { agents: false, caller: caller() }
    const { validation, counts } = await check(query.domain as Domain, asked, services)
    const { valid, domain, url, discovery_method, manager_domain, errors, warnings } = validation
    return ok({
      ...{ valid, domain, url, discovery_method },
      ...(manager_domain !== undefined && { manager_domain }),
      ...counts,
      ...{ errors, warnings },
    })
  },
})

interface Asked {
  agents: boolean
  caller: string
  /** Refuses a name that leads nowhere. */
  mustBePublic?: boolean
}

function check(domain: Domain, { agents, caller, mustBePublic }: Asked, services: Services) {
  const { budget, config, desk } = services
  const question = `adagents ${agents} ${mustBePublic === true} ${domain}`
  return budget.spend({ question, caller, target: domain }, async () => {
    if (mustBePublic) await requirePublic('domain', domain, services)
    const ms = config.LIMITS.validateMs + SLACK_MS
    return desk.send({ errand: 'check_adagents', domain, agents }, ms)
  })
}

/** The whole answer, without what the file says where that makes it longer than callers take. */
function fitted<Answer extends object>(answer: Answer, validation: AdagentsValidation): Answer {
  if (Buffer.byteLength(JSON.stringify(answer)) <= ANSWER_BYTES) return answer
  const { raw_data: _, ...lean } = validation
  const cut = { ...lean, raw_data_truncated: true }
  const { data } = answer as { data?: object }
  return data === undefined
    ? { ...answer, ...cut, raw_data: undefined }
    : { ...answer, data: { ...data, validation: cut } }
}

const list = z.array(z.unknown()).optional()
const map = z.record(z.string(), z.unknown()).optional()

export const createAdagentsFile = operation({
  id: 'createAdagents',
  method: 'POST',
  path: '/api/adagents/create',
  group: 'Validation Tools',
  summary: 'Make an adagents.json out of its parts',
  description:
    'The parts are taken over as given, in a fixed order, and nothing is made up. A file that the ' +
    'validation would find fault with is not made: the refusal lists what to repair.',
  access: 'public',
  cache: 'none',
  body: z.looseObject({
    authorized_agents: z.array(z.unknown()),
    include_schema: z.boolean().default(true),
    include_timestamp: z.boolean().default(true),
    properties: list,
    collections: list,
    formats: list,
    placements: list,
    signals: list,
    catalog_etag: z.string().optional(),
    catalog_role: z.string().optional(),
    tags: map,
    placement_tags: map,
    signal_tags: map,
  }),
  reply: { 200: AdagentsCreated },
  errors: ['invalid_request', ...ofBodies],
  handle: ({ body, services: { clock } }) => {
    const now = clock.now()
    const { text, validation } = createAdagents(body, now)
    const data = { success: true, adagents_json: text, validation }
    const answer = { success: true, data, timestamp: isoOf(now) }
    if (Buffer.byteLength(JSON.stringify(answer)) > ANSWER_BYTES) {
      refuse('too_large', 'the file is too large to be made here: write it yourself')
    }
    return ok(answer)
  },
})
