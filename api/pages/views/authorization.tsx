import { toIso } from '../../../pipeline/core/clock.ts'
import { PublicError } from '../../../pipeline/core/errors.ts'
import { identifierTypes } from '../../../pipeline/model/documents/index.ts'
import { toUrl } from '../../../pipeline/model/observation.ts'
import type {
  Evidence,
  PropertyAuthorization as OfProperty,
  PublisherAuthorization as OfPublisher,
} from '../../../pipeline/model/responses/authority.ts'
import { FreshnessBlock } from '../../../pipeline/model/responses/freshness.ts'
import { completeDay } from '../../inputs/as-of.ts'
import { AgentUrl, completeAgentAddress } from '../../inputs/sale.ts'
import { publisherTexts } from '../../responses/evidence.ts'
import { authorizeProperty } from '../../routes/authorization/property-authorization.ts'
import { authorizePublisher } from '../../routes/authorization/publisher-authorization.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import {
  clipText,
  countThings,
  renderExactMoment,
  renderMoment,
  renderName,
} from '../html/text.tsx'
import { findPublicProbe } from '../parts/agent.tsx'
import { renderHealthLine } from '../parts/agent-health.tsx'
import { renderFacts, renderSection } from '../parts/blocks.tsx'
import { renderAgent } from '../parts/events.tsx'
import { renderChain } from '../parts/evidence.tsx'
import { renderFreshness, renderLeastFresh } from '../parts/freshness.tsx'
import { toPublisherPath } from '../parts/paths.ts'
import { findSupplyPath, pickDeciding, renderSupplyPath } from '../parts/supply-path.tsx'
import { describeVerdict, renderVerdict } from '../parts/verdict.tsx'
import type { View, ViewCall } from '../view.ts'

/** Question of the page, in the names of the API. */
interface Asked {
  agent_url: string
  identifier_type: string
  identifier_value: string
  /** Domain of the publisher, where no property is named. */
  domain: string
  country: string
  as_of: string
}

export interface AuthorizationQuery extends Asked {
  agent: string
  property: string
  type: string
  publisher: string
}

/** Shows whether an agent may sell something, and every step that leads there. */
export async function show(call: ViewCall<AuthorizationQuery>): Promise<View> {
  const asked = toAsked(call.query)
  const { agent_url, identifier_value, domain } = asked
  try {
    if (agent_url !== '' && identifier_value !== '') return await showProperty(call, asked)
    if (agent_url !== '' && domain !== '') return await showPublisher(call, asked)
  } catch (error) {
    const fault = error instanceof PublicError && describeFault(error)
    if (fault) return showForm(asked, fault)
    throw error
  }
  // The form always sends the type.
  const isSent = call.query.identifier_type !== ''
  return showForm(asked, isSent ? 'Enter an agent and a property.' : undefined)
}

const labels: Readonly<Record<string, string>> = {
  agent_url: 'Agent',
  agent: 'Agent',
  identifier_type: 'Identifier type',
  identifier_value: 'Property',
  domain: 'Property',
  country: 'Country',
  as_of: 'As of',
}

/** Describes what a field of the form has wrong, by its label; undefined for any other refusal. */
function describeFault({ error, message }: PublicError): string | undefined {
  const [, field = '', text] = /^(\w+): (.*)$/s.exec(message) ?? []
  const label = error === 'invalid_request' ? labels[field] : undefined
  return label && `${label}: ${text}.`
}

function showForm(asked: Asked, fault: string | undefined): View {
  return {
    ...(fault !== undefined && { status: 400 as const }),
    title: 'Check authorization',
    description: 'Ask whether an agent may sell a property, and read every step that decides it.',
    body: (
      <>
        <h1>Check authorization</h1>
        <p class="lead">
          May this agent sell this property? The answer shows which file says so, where, and when.
        </p>
        {fault === undefined ? null : (
          <p class="notice fair" role="alert">
            {clipText(fault, 300)}
          </p>
        )}
        {renderForm(asked)}
      </>
    ),
  }
}

/** Reads the names of the API, and those of links from before. */
function toAsked(query: AuthorizationQuery): Asked {
  return {
    ...query,
    agent_url: completeAgentAddress(query.agent_url || query.agent),
    identifier_type: query.identifier_type || query.type || 'domain',
    identifier_value: query.identifier_value || query.property,
    domain: query.domain || query.publisher,
  }
}

async function showProperty(
  { ask, services }: ViewCall<AuthorizationQuery>,
  asked: Asked,
): Promise<View> {
  const { agent_url, identifier_type, identifier_value, country, as_of } = asked
  const [agent, property] = [agent_url, identifier_value]
  const query = {
    agent_url,
    identifier_type,
    identifier_value,
    ...(country && { country }),
    ...(as_of ? { as_of: completeDay(as_of) } : { explain: 'true' }),
  }
  const { body } = await ask<OfProperty>(authorizeProperty, { query })
  const { publisher_domain, property_id, property_rid, evidence = [] } = body
  const judged = describeVerdict(body, evidence, body.as_of ?? body.checked_at)
  return {
    title: `${judged.verdict}: ${clipText(property, 60)}`,
    description: `May ${clipText(agent, 80)} sell ${clipText(property, 60)}? ${judged.verdict}${judged.reason}.`,
    json: `/api/registry/validate/property-authorization?${new URLSearchParams(query)}`,
    body: (
      <>
        <p class="kicker">Check authorization</p>
        {renderVerdict(judged)}
        {body.needs === 'country' ? renderCountryForm(asked) : null}
        <p class="lead">
          {renderAgent(agent)} selling <strong>{renderName(property)}</strong>
          {country === '' ? null : <> in {renderName(country, 10)}</>}
        </p>
        {renderPath(evidence, agent)}
        {renderFacts([
          ['Publisher', publisher_domain && renderPublisher(publisher_domain)],
          ['Property', property_id && <code>{clipText(property_id, 120)}</code>],
          ['Registry ID', property_rid && <code>{property_rid}</code>],
          ['Checked', renderMoment(body.checked_at)],
          ['Agent', as_of === '' && renderAgentHealth(services, agent)],
          ['As of', body.as_of && renderExactMoment(body.as_of)],
        ])}
        {body.as_of ? renderPast() : renderChainSection(evidence)}
        {renderSources(body.freshness, evidence)}
        {renderForm(asked)}
      </>
    ),
  }
}

async function showPublisher(
  { ask, services }: ViewCall<AuthorizationQuery>,
  asked: Asked,
): Promise<View> {
  const { agent_url: agent, domain: publisher, as_of } = asked
  const more = as_of ? { as_of: completeDay(as_of) } : { explain: 'true' }
  const query = { agent, domain: publisher, ...more }
  const found = await ask<OfPublisher>(authorizePublisher, { query })
  const body = found.status === 200 ? found.body : toRefusal(found.body, publisher)
  const { authorized: count, total, publisher_wide, evidence = [] } = body
  const judged = describeVerdict(
    { ...body, authorized: count > 0 },
    evidence,
    as_of ? completeDay(as_of) : toIso(services.reader.now()),
  )
  const limits = count > 0 ? describeLimits(evidence) : ''
  return {
    title: `${judged.verdict}: ${clipText(publisher, 60)}`,
    description: `May ${clipText(agent, 80)} sell for ${clipText(publisher, 60)}? ${judged.verdict}${judged.reason}.`,
    json: `/api/registry/publisher/authorization?${new URLSearchParams(query)}`,
    body: (
      <>
        <p class="kicker">Check authorization</p>
        {renderVerdict(judged)}
        <p class="lead">
          {renderAgent(agent)} selling for {renderPublisher(publisher)}
        </p>
        {renderPath(evidence, agent)}
        {renderFacts([
          [
            'Reach',
            publisher_wide
              ? `All properties (${total})`
              : `${count} of ${countThings(total, 'active property', 'active properties')}`,
          ],
          ['Only', limits],
          ['For', body.authorized_for && renderName(body.authorized_for, 300)],
          ['Agent', as_of === '' && renderAgentHealth(services, agent)],
          ['As of', as_of && renderExactMoment(completeDay(as_of))],
        ])}
        {as_of ? renderPast() : renderChainSection(evidence)}
        {renderSources(body.freshness, evidence)}
        {renderForm(asked)}
      </>
    ),
  }
}

/** Reads a refusal as the answer that it is: the publisher grants this agent nothing. */
function toRefusal({ freshness }: Pick<OfPublisher, 'freshness'>, publisher: string): OfPublisher {
  const isRead = freshness.state === 'current' || freshness.state === 'stale'
  const says = isRead ? 'mismatch' : 'unknown'
  const rule = isRead ? 'agent_not_listed' : 'file_not_known'
  const { state: file_state, succeeded_at: fetched_at } = freshness
  const file = toUrl({ kind: 'adagents.json', location: publisher })
  const step = { side: 'publisher', domain: publisher, file, file_state, says } as const
  return {
    publisher_domain: publisher,
    agent_url: '',
    authorized: 0,
    total: 0,
    publisher_wide: false,
    source: 'adagents_json',
    unauthorized_properties: [],
    sides: { publisher: says, operator: 'unknown' },
    confirmed: false,
    operator_side: 'unknown',
    operator_reason: 'no_operator',
    evidence: [{ ...step, rule, text: publisherTexts[rule], ...(fetched_at && { fetched_at }) }],
    freshness,
  }
}

/** Describes the limits of the entry that grants the most, as far as it has some. */
function describeLimits(evidence: readonly Evidence[]): string {
  const step = evidence.find(({ side, says }) => side === 'publisher' && says === 'match')
  if (step === undefined) return ''
  const { countries, placement_ids, placement_tags, collection_ids } = step
  const isPlaced = placement_ids !== undefined || placement_tags !== undefined
  return [
    countries && `in ${clipText(countries.join(', '), 200)}`,
    isPlaced && 'on some placements',
    collection_ids && 'with some collections',
  ]
    .filter(Boolean)
    .join(', ')
}

function renderPath(evidence: readonly Evidence[], agent: string): Html | null {
  const path = findSupplyPath(evidence, agent)
  return path === undefined ? null : renderSupplyPath(path)
}

function renderAgentHealth({ reader }: ViewCall<unknown>['services'], agent: string): Html | null {
  const url = AgentUrl.safeParse(agent).data
  return url === undefined ? null : renderHealthLine(url, findPublicProbe(reader, url))
}

function renderPublisher(domain: string): Html {
  return <a href={toPublisherPath(domain)}>{renderName(domain)}</a>
}

function renderChainSection(evidence: NonNullable<OfProperty['evidence']>): Html {
  return renderSection(
    'evidence',
    'Evidence',
    <>
      <p>
        Only a publisher’s own file authorizes an agent. The agent’s operator can confirm that, or
        contradict it.
      </p>
      {renderChain(evidence)}
    </>,
  )
}

/** Renders how fresh the files are; that of the operator too, which counts only once it says something. */
function renderSources(freshness: FreshnessBlock, evidence: readonly Evidence[]): Html {
  const operating = pickDeciding(evidence, 'operator')
  const state = FreshnessBlock.shape.state.safeParse(operating?.file_state).data
  if (freshness.state !== 'current' || state === undefined || state === 'current')
    return renderLeastFresh(freshness)
  return (
    <>
      {renderFreshness({ state }, 'The operator’s file')}
      {renderFreshness(freshness, 'The publisher’s file')}
    </>
  )
}

/** Renders the one field that an answer still needs, beside the headline. */
function renderCountryForm({ agent_url, identifier_type, identifier_value, as_of }: Asked): Html {
  const known = { agent_url, identifier_type, identifier_value, ...(as_of && { as_of }) }
  return (
    <form class="filter" action="/authorization" method="get">
      {Object.entries(known).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <label>
        In which country?
        <input name="country" placeholder="GB" maxlength="2" required />
      </label>
      <button type="submit">Check authorization</button>
    </form>
  )
}

function renderPast(): Html {
  return (
    <p>
      This is what the publisher’s file said then. What operators said is not recorded, and the
      freshness below is today’s.
    </p>
  )
}

function renderForm(asked: Asked): Html {
  const { agent_url, identifier_value, domain, identifier_type, country, as_of } = asked
  return (
    <form class="ask" action="/authorization" method="get">
      <h2>Check</h2>
      <label>
        Agent
        <input
          name="agent_url"
          value={clipText(agent_url, 2_000)}
          placeholder="https://agent.example/mcp"
        />
      </label>
      <label>
        Property
        <input
          name="identifier_value"
          value={clipText(identifier_value || domain, 500)}
          placeholder="acme.example"
        />
      </label>
      <label>
        Identifier type
        <input
          name="identifier_type"
          value={clipText(identifier_type, 60)}
          list="identifier-types"
        />
        <datalist id="identifier-types">
          {identifierTypes.map(type => (
            <option value={type} />
          ))}
        </datalist>
      </label>
      <label>
        Country
        <input name="country" value={clipText(country, 10)} placeholder="GB" />
      </label>
      <label>
        As of
        <input name="as_of" value={clipText(as_of, 40)} placeholder="2026-11-20 or a time in UTC" />
      </label>
      <button type="submit">Check authorization</button>
      <p class="aside">
        More than one? <a href="/authorization/list">Check a list</a>
      </p>
    </form>
  )
}
