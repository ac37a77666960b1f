import type { Instant } from '../core/clock.ts'
import { requireValue } from '../core/present.ts'
import type { AdagentsInline, AgentEntry } from '../model/documents/index.ts'
import { describeOwnDomain } from './addresses.ts'
import type { Faults } from './faults.ts'

/** Maximum number of entries that are compared with every other one. */
const EXCLUSIVE_ENTRIES_MAX = 20
const PIN_KEYS =
  'add the agent’s public keys so buyers can detect forged signatures, such as [{"kid": "key-1", "kty": "OKP", "crv": "Ed25519", "x": "…"}]; ask the agent’s operator for them'

/**
 * Adds advice for the maintainer of a file: entries without effect, conflicting entries, and
 * entries that cannot be verified.
 */
export function addAdvice(
  { agents, properties }: AdagentsInline,
  { domain, now, faults }: { domain: string | undefined; now: Instant; faults: Faults },
): void {
  if (domain !== undefined && agents.some(isByName)) reportOtherOwner(properties, domain, faults)
  for (const entry of agents) {
    const toField = (key: string) => `authorized_agents[${entry.entry}].${key}`
    if (entry.effective_until !== undefined && Date.parse(entry.effective_until) < now) {
      faults.warn(
        toField('effective_until'),
        'expired',
        'has passed, so the entry authorizes nothing now: write a later time, or remove the entry',
      )
    } else if (entry.effective_from !== undefined && now < Date.parse(entry.effective_from)) {
      faults.warn(
        toField('effective_from'),
        'not_yet',
        'is still to come: nothing is authorized yet',
      )
    }
    if (entry.signing_keys === undefined) {
      faults.recommend(toField('signing_keys'), 'unpinned', `is missing: ${PIN_KEYS}`)
    }
  }
  const exclusives = agents.filter(({ exclusive }) => exclusive === true)
  for (const { entry } of exclusives.slice(0, EXCLUSIVE_ENTRIES_MAX)) {
    const own = requireValue(
      agents.find(agent => agent.entry === entry),
      'entry',
    )
    const other = agents.find(agent => agent.entry !== entry && isOverlapping(own, agent))
    if (other === undefined) continue
    const where = `authorized_agents[${other.entry}]`
    const message = `is true, and ${where} can sell some of the same: keep exclusive in one of them only`
    faults.warn(`authorized_agents[${entry}].exclusive`, 'not_exclusive', message)
  }
}

/** Tells whether an entry selects among the properties that the file lists. */
function isByName({ authorization_type: type }: AgentEntry): boolean {
  return type === 'property_ids' || type === 'property_tags'
}

/**
 * Reports a file whose properties all belong to one other publisher, most likely by mistake: it grants nothing of the
 * domain that serves it. The file of a manager lists those of many publishers.
 */
function reportOtherOwner(
  properties: AdagentsInline['properties'],
  domain: string,
  faults: Faults,
): void {
  const owners = new Set(properties.map(({ publisher_domain = domain }) => publisher_domain))
  const [owner] = owners
  if (owner === undefined || owners.size > 1 || owner === domain) return
  faults.warn(
    'properties[0].publisher_domain',
    'misplaced',
    `is ${owner}, so it authorizes no agent for ${domain}: ${describeOwnDomain(domain, owner) ?? `write ${domain} where the property is yours`}`,
  )
}

/**
 * Tells whether two entries of different agents name the same property by the same kind of name.
 */
function isOverlapping(a: AgentEntry, b: AgentEntry): boolean {
  if (a.agent_url === b.agent_url || a.authorization_type !== b.authorization_type) return false
  const shares = (names: readonly string[] = [], others: readonly string[] = []) =>
    names.some(name => others.includes(name))
  if (a.countries && b.countries && !shares(a.countries, b.countries)) return false
  if (a.authorization_type === 'property_ids') return shares(a.property_ids, b.property_ids)
  if (a.authorization_type === 'property_tags') return shares(a.property_tags, b.property_tags)
  return false
}
