import { answerJson } from './answer.ts'
import { type Agent, demoAgents, toUrl } from './demo-agents.ts'
import { buildCanonical, buildPortfolio, buildWebsite, firstNight, toSlug } from './documents.ts'
import { deriveSigningKey } from './keys.ts'
import type { Doc, Place } from './site.ts'

/** A sale that an operator's brand.json claims: the second side of an authorization. */
export type SellingClaim = { operator: string; identifier: string; relationship: string }

/**
 * Builds the companies that operate the agents. Their brand.json lists the agents and the sites
 * they sell.
 */
export function buildOperatorPlaces(claims: readonly SellingClaim[]): Place[] {
  return demoAgents.map(agent => ({
    host: agent.operator,
    title: agent.company,
    files: { 'brand.json': buildBrandFile(agent, claims) },
    pages: {
      '/.well-known/jwks.json': () => answerJson({ keys: [deriveSigningKey(agent.operator).jwk] }),
    },
  }))
}

function buildBrandFile(agent: Agent, claims: readonly SellingClaim[]) {
  if (agent.type === 'brand' || agent.type === 'rights') {
    return { situation: 'brand_agent', document: () => buildAgentsOnly(agent) }
  }
  if (agent.type === 'creative' || agent.type === 'measurement') {
    const agents = [buildListing(agent)]
    return {
      situation: 'canonical',
      document: () => buildCanonical(agent.operator, agent.company, { agents }),
    }
  }
  return { situation: 'portfolio', document: () => buildSellerPortfolio(agent, claims) }
}

function buildAgentsOnly(agent: Agent): Doc {
  return { version: '1.0', agents: [buildListing(agent)], last_updated: firstNight }
}

function buildSellerPortfolio(agent: Agent, claims: readonly SellingClaim[]): Doc {
  const { operator, company } = agent
  const sold = claims
    .filter(claim => claim.operator === operator)
    .map(({ identifier, relationship }) => buildWebsite(identifier, { relationship }))
  return buildPortfolio({
    house: {
      domain: operator,
      name: company,
      architecture: 'branded_house',
      agents: [buildListing(agent)],
    },
    brands: [
      {
        id: toSlug(company),
        names: [{ en: company }],
        keller_type: 'master',
        url: `https://${operator}`,
        industries: ['advertising'],
        properties: [buildWebsite(operator, { primary: true }), ...sold],
      },
    ],
    contact: { name: company, email: `ops@${operator}`, domain: operator },
  })
}

function buildListing(agent: Agent): Doc {
  return {
    type: agent.type,
    url: toUrl(agent),
    id: `${agent.type}_agent`,
    description: `The ${agent.type} agent of ${agent.company}`,
    jwks_uri: `https://${agent.operator}/.well-known/jwks.json`,
  }
}
