import { parseSource, type Source } from '../../../pipeline/model/observation.ts'
import type { PublisherLookup } from '../../../pipeline/model/responses/index.ts'
import { capitalize } from '../html/text.tsx'
import { type CountedFaults, chooseIssuesLook } from './faults.tsx'
import { isHostedOnly } from './publisher.tsx'

/** Tells whether the file was valid when it was last read; one that has broken since may still be in force. */
export function isServedValid({ adagents_valid, files }: PublisherLookup): boolean {
  return adagents_valid === true && files.adagents_json.status === 'valid'
}

/** Describes the state of the file in a word or two. */
export function describeFileState(lookup: PublisherLookup, { errors }: CountedFaults): string {
  if (isHostedOnly(lookup)) return 'Hosted here'
  if (isServedValid(lookup)) return errors > 0 ? 'Usable' : 'Valid'
  const { status } = lookup.files.adagents_json
  return status === 'absent' ? 'Not found' : capitalize(status)
}

/** Chooses how the state of the file looks. */
export function chooseFileLook(lookup: PublisherLookup, counted: CountedFaults) {
  if (isHostedOnly(lookup)) return 'fair'
  return isServedValid(lookup) ? chooseIssuesLook(counted) : 'bad'
}

/** Finds the file that decides: the domain's own, or the one that it leads to. */
export function toDecidingSource({ domain, hosting, discovery_method }: PublisherLookup): Source {
  const own: Source = { kind: 'adagents.json', location: domain }
  const { resolved_url } = hosting
  if (discovery_method === 'direct' || resolved_url === undefined) return own
  return parseSource('adagents.json', resolved_url) ?? own
}

/** Counts all agents and properties of a publisher, of which a page lists a part. */
export function countAll(lookup: PublisherLookup): { agents: number; properties: number } {
  return {
    agents: lookup.authorized_agents_total ?? lookup.authorized_agents.length,
    properties: lookup.properties_total ?? lookup.properties.length,
  }
}
