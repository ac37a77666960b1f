import { formatCount } from '../../../pipeline/core/counts.ts'
import type { EventType } from '../../../pipeline/model/event.ts'

/** Part of a sentence about one type of event: what its subject did, to how many things. */
type Predicate = (count: number) => string

interface CrowdSentence {
  thing: string
  tell(things: string): string
}

const numbers = 'one two three four five six seven eight nine ten'.split(' ')

/** Formats a count with its noun, a small one in words: `three agents`. */
export function countInWords(number: number, thing: string, things = `${thing}s`): string {
  return `${numbers[number - 1] ?? formatCount(number)} ${number === 1 ? thing : things}`
}

const properties = (number: number) => countInWords(number, 'property', 'properties')
const agents = (number: number) => countInWords(number, 'agent')
const collections = (number: number) => countInWords(number, 'collection')

/** Sentences that tell changes of one type and moment together: what they are about, and how it is told of all. */
export const crowdSentences: Partial<Record<EventType, CrowdSentence>> = {
  'publisher.adagents_discovered': {
    thing: 'publisher',
    tell: publishers => `the registry read the adagents.json of ${publishers} for the first time`,
  },
  'agent.discovered': {
    thing: 'agent',
    tell: agents => `${agents} were authorized for the first time`,
  },
  'agent.compliance_changed': { thing: 'agent', tell: agents => `${agents} have new test results` },
}

/** Names of each type of event in a list to choose from. */
export const changeNames: Readonly<Record<EventType, string>> = {
  'publisher.adagents_discovered': 'Publisher: first adagents.json',
  'publisher.adagents_changed': 'Publisher: adagents.json changed',
  'authorization.granted': 'Authorization: granted',
  'authorization.modified': 'Authorization: terms changed',
  'authorization.revoked': 'Authorization: revoked',
  'property.created': 'Property: added',
  'property.updated': 'Property: changed',
  'property.merged': 'Property: merged',
  'property.reactivated': 'Property: restored',
  'property.stale': 'Property: no longer listed',
  'collection.created': 'Collection: added',
  'collection.updated': 'Collection: changed',
  'collection.merged': 'Collection: merged',
  'collection.removed': 'Collection: no longer listed',
  'agent.discovered': 'Agent: new',
  'agent.verification_earned': 'Agent: badge earned',
  'agent.verification_lost': 'Agent: badge lost',
  'agent.compliance_changed': 'Agent: new test results',
  'agent.profile_updated': 'Agent: inventory changed',
  'agent.removed': 'Agent: no longer listed',
}

/** Predicates of each type of event, in the order in which a sentence has them. */
export const predicates: Readonly<Record<EventType, Predicate>> = {
  'publisher.adagents_discovered': () => 'had its adagents.json read for the first time',
  'publisher.adagents_changed': () => 'changed its adagents.json',
  'authorization.granted': number => `authorized ${agents(number)}`,
  'authorization.modified': number => `changed the terms of ${agents(number)}`,
  'authorization.revoked': number => `stopped authorizing ${agents(number)}`,
  'property.created': number => `added ${properties(number)}`,
  'property.updated': number => `changed ${properties(number)}`,
  'property.merged': number => `merged ${properties(number)}`,
  'property.reactivated': number => `restored ${properties(number)}`,
  'property.stale': number => `stopped listing ${properties(number)}`,
  'collection.created': number => `added ${collections(number)}`,
  'collection.updated': number => `changed ${collections(number)}`,
  'collection.merged': number => `merged ${collections(number)}`,
  'collection.removed': number => `removed ${collections(number)}`,
  'agent.discovered': () => 'was authorized by a publisher for the first time',
  'agent.verification_earned': () => 'earned a badge',
  'agent.verification_lost': () => 'lost a badge',
  'agent.compliance_changed': () => 'has new test results',
  'agent.profile_updated': () => 'gained or lost inventory',
  'agent.removed': () => 'is no longer listed by any publisher',
}
