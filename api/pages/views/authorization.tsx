import { toIso } from '../../../pipeline/core/clock.ts'
import { countThings } from '../../../pipeline/core/counts.ts'
import { PublicError } from '../../../pipeline/core/errors.ts'
import type {
  Evidence,
  PropertyAuthorization as OfProperty,
  PublisherAuthorization as OfPublisher,
} from '../../../pipeline/model/responses/authority.ts'
import { FreshnessBlock } from '../../../pipeline/model/responses/freshness.ts'
import { findLastProbe } from '../../../pipeline/read/lookups/agent-profiles.ts'
import { findFileRecord } from '../../../pipeline/read/lookups/file-records.ts'
import { findInventory, type StockedGrant } from '../../../pipeline/read/lookups/inventory.ts'
import { findMeantAgents } from '../../../pipeline/read/queries/agents-of-host.ts'
import type { ExampleSale } from '../../../pipeline/read/queries/example-sales.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { completeMoment } from '../../inputs/as-of.ts'
import { explainIdentifierFault } from '../../inputs/identifier.ts'
import { AgentUrl, completeAgentAddress } from '../../inputs/sale.ts'
import { buildPublisherEvidence, createCitedPublisher } from '../../responses/evidence.ts'
import { authorizeProperty } from '../../routes/authorization/property-authorization.ts'
import { authorizePublisher } from '../../routes/authorization/publisher-authorization.ts'
import { describeRefusal } from '../describe-refusal.ts'
import { type Child, Fragment, type Html, h } from '../html/jsx.ts'
import {
  clipText,
  renderCoded,
  renderExactMoment,
  renderMoment,
  renderName,
  showDomains,
} from '../html/text.tsx'
import { renderHealthLine } from '../parts/agent-health.tsx'
import { renderFacts, renderSection } from '../parts/blocks.tsx'
import { renderAgent } from '../parts/events.tsx'
import { findPropertyNames, renderChain } from '../parts/evidence.tsx'
import { findExampleSales, renderSaleLinks } from '../parts/example-sales.tsx'
import { findFileCopies } from '../parts/file-copies.tsx'
import { renderFreshness, renderLeastFresh } from '../parts/freshness.tsx'
import { toPublisherPath } from '../parts/paths.ts'
import { toCountryInSentence } from '../parts/plain-words.ts'
import {
  type Asked,
  renderAgentChoice,
  renderAskForm,
  renderCountryChoice,
} from '../parts/sale-question.tsx'
import { findSupplyPath, pickDeciding, renderSupplyPath } from '../parts/supply-path.tsx'
import { describePart, describeVerdict, formatVerdict, renderVerdict } from '../parts/verdict.tsx'
import { explainSilence } from '../silent-publisher.ts'
import type { View, ViewCall } from '../view.ts'

export interface AuthorizationQuery extends Asked {
  agent: string
  property: string
  type: string
  publisher: string
}

/** A question, with the address as it was entered where it meant the only agent of its host. */
type Meant = Asked & { stated?: string }

/** Shows whether an agent can sell something, and every step that leads there. */
export async function show(call: ViewCall<AuthorizationQuery>): Promise<View> {
  const asked = toAsked(call.query)
  const { agent_url, identifier_value, domain } = asked
  try {
    if (agent_url !== '' && (identifier_value || domain) !== '') {
      const agents = await findMeantAgents(call.services.reader, agent_url)
      if (agents.length > 1) return showForm(asked, [], { fault: renderAgentChoice(asked, agents) })
      const [agent] = agents
      const meant = agent === undefined ? asked : { ...asked, agent_url: agent, stated: agent_url }
      return await (identifier_value !== '' ? showProperty : showPublisher)(call, meant)
    }
  } catch (error) {
    const refused = error instanceof PublicError && findWrongField(error)
    if (!refused) throw error
    const faults = listFaults(refused, asked)
    return showForm(asked, await findExampleSales(call), {
      fault: renderFaults(faults, asked),
      wrong: faults.map(({ field }) => field),
    })
  }
  const examples = await findExampleSales(call)
  // The form always sends the type.
  if (call.query.identifier_type === '') return showForm(asked, examples)
  const missing = [
    agent_url === '' ? (['agent_url', 'an agent'] as const) : undefined,
    (identifier_value || domain) === '' ? (['identifier_value', 'a property'] as const) : undefined,
  ].filter(field => field !== undefined)
  return showForm(asked, examples, {
    fault: `Enter ${missing.map(([, what]) => what).join(' and ')}.`,
    wrong: missing.map(([field]) => field),
  })
}

/** Finds what a refusal says of a field of the form; undefined for any other refusal. */
function findWrongField({ error, field, message }: PublicError): Refused | undefined {
  return error === 'invalid_request' && field !== undefined ? { field, message } : undefined
}

interface Refused {
  field: string
  message: string
}

/** Fields of the form from the first to the last. */
const FIELDS = ['agent_url', 'identifier_value', 'identifier_type', 'country', 'as_of']

/**
 * Lists everything that is wrong with the form in the order of its fields: the API refuses the first wrong field only.
 */
function listFaults(refused: Refused, asked: Asked): Refused[] {
  const known = new Set([toFormField(refused.field)])
  const others = [findAgentFault(asked), findPropertyFault(asked)].flatMap(fault => fault ?? [])
  const rank = ({ field }: Refused) => FIELDS.indexOf(toFormField(field))
  return [refused, ...others.filter(({ field }) => !known.has(field))].sort(
    (a, b) => rank(a) - rank(b),
  )
}

/** Names a field as the form does; questions about publishers have another name for the agent. */
const toFormField = (field: string) => (field === 'agent' ? 'agent_url' : field)

function findAgentFault({ agent_url }: Asked): Refused | undefined {
  const message = AgentUrl.safeParse(agent_url).error?.issues[0]?.message
  if (message === undefined) return undefined
  return findWrongField(new PublicError('invalid_request', `agent_url: ${message}`))
}

function findPropertyFault({ identifier_type, identifier_value }: Asked): Refused | undefined {
  const fields = { type: 'identifier_type', value: 'identifier_value' }
  const identifier = { type: identifier_type, value: identifier_value }
  const text = identifier_value === '' ? undefined : explainIdentifierFault(identifier, fields)
  return text === undefined ? undefined : findWrongField(new PublicError('invalid_request', text))
}

function renderFaults(faults: readonly Refused[], asked: Asked): Child {
  return faults.map(({ message }) => (
    <p>{renderCoded(describeRefusal(message, { ...asked, agent: asked.agent_url }), 300)}</p>
  ))
}

/** Faults of a question, and the names of the fields that have them. */
interface Faults {
  fault?: Child
  wrong?: readonly (string | undefined)[]
}

function showForm(
  asked: Asked,
  examples: readonly ExampleSale[],
  { fault, wrong = [] }: Faults = {},
): View {
  return {
    ...(fault !== undefined && { status: 400 as const }),
    title: 'Check authorization',
    description:
      'Check whether an agent can sell ads on a property, and see every step that decides it.',
    body: (
      <>
        <h1>Check authorization</h1>
        <p class="lead">
          Can this agent sell ads on this property? See which file and entry decide, and when they
          were read.
        </p>
        {fault === undefined ? null : (
          <div class={`notice ${wrong.length > 0 ? 'bad' : 'fair'}`} id="fault" role="alert">
            {fault}
          </div>
        )}
        {renderAskForm(asked, wrong)}
        {examples.length === 0 ? null : (
          <>
            <h2>Examples</h2>
            <ul class="chips">{renderSaleLinks(examples)}</ul>
          </>
        )}
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
  { stated, ...asked }: Meant,
): Promise<View> {
  const { agent_url, identifier_type, identifier_value, country, as_of } = asked
  const [agent, property] = [agent_url, identifier_value]
  const query = {
    agent_url,
    identifier_type,
    identifier_value,
    ...(country && { country }),
    ...(as_of ? { as_of: completeMoment(as_of) } : { explain: 'true' }),
  }
  const { body } = await ask<OfProperty>(authorizeProperty, { query })
  const { publisher_domain, property_id, property_rid } = body
  const evidence = await Promise.all(
    (body.evidence ?? []).map(step =>
      identifier_type === 'domain'
        ? explainSilence(services.reader, step, property, body.freshness)
        : step,
    ),
  )
  const verdict = describeVerdict(body, evidence, body.as_of ?? body.checked_at)
  const judged = {
    ...verdict,
    reason: verdict.reason.replace('that country', () => toCountryInSentence(country)),
  }
  return {
    title: `${judged.verdict}: ${clipText(showDomains(property), 60)}`,
    description: `Can ${clipText(agent, 80)} sell ads on ${clipText(showDomains(property), 60)}? ${formatVerdict(judged)}.`,
    json: `/api/registry/validate/property-authorization?${new URLSearchParams(query)}`,
    body: (
      <>
        <p class="kicker">Check authorization</p>
        {renderVerdict(judged)}
        <p class="lead">
          {stated === undefined ? null : <>The agent at {renderName(stated, 120)}: </>}
          {renderAgent(agent)} selling ads on <strong>{renderName(property)}</strong>
          {country === '' ? null : <> in {toCountryInSentence(country)}</>}
        </p>
        {body.needs === 'country' ? renderCountryChoice(asked, evidence) : null}
        {renderPath(evidence, agent)}
        {renderFacts([
          ['Publisher', as_of !== '' && publisher_domain && renderPublisher(publisher_domain)],
          ['Agent', as_of === '' && renderAgentHealth(services, agent)],
          ['As of', body.as_of ? renderExactMoment(body.as_of) : renderMoment(body.checked_at)],
        ])}
        {property_id || property_rid ? (
          <details>
            <summary>Details of this check</summary>
            {renderFacts([
              ['Property ID', property_id && <code>{clipText(property_id, 120)}</code>],
              ['Registry ID', property_rid && <code>{property_rid}</code>],
            ])}
          </details>
        ) : null}
        {body.as_of ? renderPast() : renderChainSection(services.reader, evidence)}
        {renderSources(body.freshness, evidence)}
        {renderAskForm(asked)}
      </>
    ),
  }
}

async function showPublisher(
  { ask, services }: ViewCall<AuthorizationQuery>,
  { stated, ...asked }: Meant,
): Promise<View> {
  const { agent_url: agent, domain: publisher, as_of } = asked
  const more = as_of ? { as_of: completeMoment(as_of) } : { explain: 'true' }
  const query = { agent, domain: publisher, ...more }
  const found = await ask<OfPublisher>(authorizePublisher, { query })
  const { freshness } = found.body
  const body =
    found.status === 200 ? found.body : await toRefusal(services.reader, freshness, asked)
  const { authorized: count, total, publisher_wide, evidence = [] } = body
  const at = as_of ? completeMoment(as_of) : toIso(services.reader.now())
  const judged =
    describePart(body, evidence) ??
    describeVerdict({ ...body, authorized: count > 0 }, evidence, at)
  return {
    title: `${judged.verdict}: ${clipText(showDomains(publisher), 60)}`,
    description: `Can ${clipText(agent, 80)} sell ads for ${clipText(showDomains(publisher), 60)}? ${formatVerdict(judged)}.`,
    json: `/api/registry/publisher/authorization?${new URLSearchParams(query)}`,
    body: (
      <>
        <p class="kicker">Check authorization</p>
        {renderVerdict(judged)}
        <p class="lead">
          {stated === undefined ? null : <>The agent at {renderName(stated, 120)}: </>}
          {renderAgent(agent)} selling ads for {renderPublisher(publisher)}
        </p>
        {renderPath(evidence, agent)}
        {renderFacts([
          [
            'Reach',
            publisher_wide
              ? `All properties (${total})`
              : `${count} of ${countThings(total, 'active property', 'active properties')}`,
          ],
          ['For', body.authorized_for && renderName(body.authorized_for, 300)],
          ['Agent', as_of === '' && renderAgentHealth(services, agent)],
          ['As of', as_of && renderExactMoment(completeMoment(as_of))],
        ])}
        {as_of ? renderPast() : renderChainSection(services.reader, evidence)}
        {renderSources(body.freshness, evidence)}
        {renderAskForm(asked)}
      </>
    ),
  }
}

/** Reads a refusal as the answer that it is: the publisher grants this agent nothing, or nothing at this time. */
async function toRefusal(
  reader: Reader,
  freshness: FreshnessBlock,
  { domain, agent_url, as_of }: Asked,
): Promise<OfPublisher> {
  const { state } = freshness
  // A file whose last fetch failed counts as it was before.
  const stillCounts =
    state === 'failing' &&
    Boolean(findFileRecord(reader, { kind: 'adagents.json', location: domain }))
  const isRead = state === 'current' || state === 'stale' || stillCounts
  const grants = as_of ? [] : (findInventory(reader, domain)?.grantsTo(agent_url) ?? [])
  const [grant] = grants.toSorted((a, b) => (toEnd(b) > toEnd(a) ? 1 : -1))
  const known = grant ? 'not_in_window' : 'agent_not_listed'
  const step = buildPublisherEvidence(createCitedPublisher(reader, domain), {
    rule: isRead ? known : 'file_not_known',
    ...(grant && { grant }),
  })
  return {
    publisher_domain: domain,
    agent_url,
    authorized: 0,
    total: 0,
    publisher_wide: false,
    source: 'adagents_json',
    unauthorized_properties: [],
    sides: { publisher: step.says, operator: 'unknown' },
    confirmed: false,
    operator_side: 'unknown',
    operator_reason: 'no_operator',
    evidence: [as_of ? step : await explainSilence(reader, step, domain, freshness)],
    freshness,
  }
}

const toEnd = ({ effective_until }: StockedGrant) => effective_until ?? '9999'

function renderPath(evidence: readonly Evidence[], agent: string): Html | null {
  const path = findSupplyPath(evidence, agent)
  return path === undefined ? null : renderSupplyPath(path)
}

function renderAgentHealth({ reader }: ViewCall<unknown>['services'], agent: string): Html | null {
  const url = AgentUrl.safeParse(agent).data
  return url === undefined ? null : renderHealthLine(url, findLastProbe(reader, url))
}

function renderPublisher(domain: string): Html {
  return <a href={toPublisherPath(domain)}>{renderName(domain)}</a>
}

function renderChainSection(reader: Reader, evidence: readonly Evidence[]): Html {
  return renderSection(
    'evidence',
    'Evidence',
    <>
      <p>
        Only the publisher can authorize an agent. The agent’s operator can confirm the
        authorization. If the operator contradicts it, the answer is no.
      </p>
      {renderChain(evidence, findPropertyNames(reader, evidence), findFileCopies(reader, evidence))}
    </>,
  )
}

/**
 * Renders how fresh the files are, unless all are up to date and the steps say when they were read; that of the
 * operator too, which counts only once it says something. Nothing where no file decided.
 */
function renderSources(freshness: FreshnessBlock, evidence: readonly Evidence[]): Html | null {
  if (evidence.every(({ file }) => file === undefined)) return null
  const operating = pickDeciding(evidence, 'operator')
  const state = FreshnessBlock.shape.state.safeParse(operating?.file_state).data
  if (freshness.state !== 'current') {
    const step = evidence.find(({ file_state }) => file_state === freshness.state)
    return renderLeastFresh(freshness, step?.file && clipText(step.file, 200))
  }
  if (state === undefined || state === 'current')
    return evidence.some(({ fetched_at }) => fetched_at) ? null : renderLeastFresh(freshness)
  return (
    <>
      <h3>Files</h3>
      {renderFreshness(freshness, 'The publisher’s file')}
      {renderFreshness({ state }, 'The operator’s file')}
    </>
  )
}

function renderPast(): Html {
  return (
    <p>
      This is what the publisher’s file said then. The registry keeps no history of what operators
      declare.
    </p>
  )
}
