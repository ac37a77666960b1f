import type { eventTypes } from '../../pipeline/model/event.ts'
import type { SubscriptionView } from '../../pipeline/model/responses/subscriptions.ts'
import type { SubscriptionFilters } from '../../pipeline/model/subscription.ts'
import { findHostOfAgents } from '../../pipeline/read/queries/agents-of-host.ts'
import { describeRefusal, describeWrongDomain } from '../pages/describe-refusal.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { capitalize, clipText, joinWords } from '../pages/html/text.tsx'
import type { OrganizationRequest } from './dashboard-request.ts'
import { type Refusal, renderField } from './field.tsx'

/** Names of what changes are about, as the form offers them. */
const entities = {
  authorization: 'authorizations',
  agent: 'agents',
  publisher: 'publishers’ files',
  property: 'properties',
  collection: 'collections',
} as const satisfies Record<(typeof eventTypes)[keyof typeof eventTypes]['entity'], string>

/** Types that report all that a sale depends on: a grant can be in force while its properties cannot be sold. */
const saleTypes = ['authorization.*', 'property.stale', 'property.reactivated']

/** Lists of types that the form offers. */
const offered: readonly (readonly string[])[] = [
  [],
  saleTypes,
  ...Object.keys(entities)
    .filter(entity => entity !== 'authorization')
    .map(entity => [`${entity}.*`]),
]

/** Describes in words what a webhook sends. */
export function describeSelection({ kind, event_types, domains, agents }: SubscriptionView): Child {
  if (kind === 'audit') return 'the audit log'
  const about = [...domains, ...agents]
  return clipText(
    describeTypes(event_types) +
      (about.length === 0 ? '' : `, only about ${joinWords(about, 'or')}`),
    300,
  )
}

function describeTypes(filters: readonly string[]): string {
  if (filters.join() === saleTypes.join())
    return 'what starts, suspends, resumes or ends an authorization'
  const types = filters.map(type => {
    const [, entity = ''] = /^(\w+)\.\*$/.exec(type) ?? []
    return Object.hasOwn(entities, entity) ? entities[entity as keyof typeof entities] : type
  })
  return types.length === 0 ? 'all changes' : `changes to ${joinWords(types)}`
}

/** Renders the fields that filter what a webhook sends, as entered or as `known`; `more` are choices besides changes. */
export function renderFilterFields(
  form: URLSearchParams,
  refusal: Refusal,
  more: readonly (readonly [string, string])[] = [],
  known: SubscriptionFilters = { event_types: [], domains: [], agents: [] },
): Html {
  const { event_types, domains, agents } = known
  const chosen = form.get('what') ?? event_types.join()
  const isOffered = offered.some(own => own.join() === event_types.join())
  // What only the API can select stays a choice.
  const choices = (isOffered ? offered : [...offered, event_types]).map(
    own => [own.join(), describeTypes(own)] as const,
  )
  return (
    <>
      <label for="what">Events</label>
      <select id="what" name="what">
        {[...choices, ...more].map(([value, label]) => (
          <option value={value} selected={value === chosen}>
            {capitalize(clipText(label, 300))}
          </option>
        ))}
      </select>
      {renderField({
        name: 'about',
        label: 'Filter by domain or agent (optional)',
        refusal,
        hint: 'Domains and agent URLs, separated by spaces.',
        value: form.get('about') ?? [...domains, ...agents].join(' '),
        maxlength: '20000',
        placeholder: 'acme.example https://sales.acme.example/mcp',
      })}
    </>
  )
}

/**
 * Reads the filters of a form, as the API takes them. An address that is only a host means the domain, unless it is an
 * agent; `known` are agents in any case.
 */
export function readFilters(
  { form, services }: OrganizationRequest,
  known: readonly string[] = [],
): SubscriptionFilters {
  const about = (form.get('about') ?? '')
    .split(/\s+/)
    .flatMap(text => (known.includes(text) ? text : text.split(',')))
    .filter(name => name !== '')
  const isAgent = (name: string) =>
    known.includes(name) ||
    (/^https?:/i.test(name) && findHostOfAgents(services.reader, name) === undefined)
  return {
    event_types: (form.get('what') ?? '').split(',').filter(type => type !== ''),
    domains: about.filter(name => !isAgent(name)),
    agents: about.filter(isAgent),
  }
}

/** Describes a refusal of what the field for domains and agents holds, which are two lists of the API, by what was entered. */
export function describeRefused(
  { refused, field }: Refusal,
  { domains, agents }: Pick<SubscriptionFilters, 'domains' | 'agents'>,
): Refusal {
  const [, list, place] = /^(domains|agents)(?:\[(\d+)\])?$/.exec(field ?? '') ?? []
  if (list === undefined) return { refused, field }
  const entered = place && (list === 'agents' ? agents : domains)[Number(place)]
  if (!entered) return { refused, field: 'about' }
  const text =
    list === 'domains'
      ? describeWrongDomain(entered)
      : describeRefusal('`url` must be an agent URL', { url: entered })
  return { refused: text, field: 'about' }
}
