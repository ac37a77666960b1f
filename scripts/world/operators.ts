import { json } from './answer.ts'
import { type Agent, cast, urlOf } from './cast.ts'
import { canonical, firstNight, portfolio, slug, website } from './documents.ts'
import { signingKeyOf } from './keys.ts'
import type { Doc, Place } from './site.ts'

/** What an operator says it sells: the second side of an authorization. */
export type SellingClaim = { operator: string; identifier: string; relationship: string }

/** The companies behind the agents. Their brand.json lists the agents and the sites they sell. */
export function operatorPlaces(claims: readonly SellingClaim[]): Place[] {
  return cast.map(agent => ({
    host: agent.operator,
    title: agent.company,
    files: { 'brand.json': brandFileOf(agent, claims) },
    pages: { '/.well-known/jwks.json': () => json({ keys: [signingKeyOf(agent.operator).jwk] }) },
  }))
}

function brandFileOf(agent: Agent, claims: readonly SellingClaim[]) {
  if (agent.type === 'brand' || agent.type === 'rights') {
    return { situation: 'brand_agent', document: () => agentsOnly(agent) }
  }
  if (agent.type === 'creative' || agent.type === 'measurement') {
    const agents = [listing(agent)]
    return {
      situation: 'canonical',
      document: () => canonical(agent.operator, agent.company, { agents }),
    }
  }
  return { situation: 'portfolio', document: () => sellerPortfolio(agent, claims) }
}

function agentsOnly(agent: Agent): Doc {
  return { version: '1.0', agents: [listing(agent)], last_updated: firstNight }
}

function sellerPortfolio(agent: Agent, claims: readonly SellingClaim[]): Doc {
  const { operator, company } = agent
  const sold = claims
    .filter(claim => claim.operator === operator)
    .map(({ identifier, relationship }) => website(identifier, { relationship }))
  return portfolio({
    house: {
      domain: operator,
      name: company,
      architecture: 'branded_house',
      agents: [listing(agent)],
    },
    brands: [
      {
        id: slug(company),
        names: [{ en: company }],
        keller_type: 'master',
        url: `https://${operator}`,
        industries: ['advertising'],
        properties: [website(operator, { primary: true }), ...sold],
      },
    ],
    contact: { name: company, email: `ops@${operator}`, domain: operator },
  })
}

function listing(agent: Agent): Doc {
  return {
    type: agent.type,
    url: urlOf(agent),
    id: `${agent.type}_agent`,
    description: `The ${agent.type} agent of ${agent.company}`,
    jwks_uri: `https://${agent.operator}/.well-known/jwks.json`,
  }
}
