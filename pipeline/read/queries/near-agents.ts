import { getRegistrableDomain } from '../../core/domain.ts'
import { countEdits } from '../../core/edit-distance.ts'
import { parseUrl } from '../../core/url.ts'
import type { Reader } from '../reader.ts'

const AGENTS_COMPARED_MAX = 50
/** Longer addresses are compared with nothing: a comparison costs the product of two lengths. */
const COMPARED_CHARS_MAX = 200

/** Finds the known agent of the same site whose address is nearest to that of an unknown one. */
export async function findNearAgent(reader: Reader, address: string): Promise<string | undefined> {
  const { hostname } = parseUrl(address) ?? {}
  const site = hostname && getRegistrableDomain(hostname)
  if (!site || address.length > COMPARED_CHARS_MAX) return undefined
  const [nearest] = (await listAgentsOfSite(reader, site))
    .map(url => ({ url, edits: countEdits(url, address) }))
    .sort((a, b) => a.edits - b.edits)
  return nearest?.url
}

async function listAgentsOfSite({ snapshot }: Reader, site: string): Promise<string[]> {
  if (snapshot === undefined) return []
  const rows = await snapshot.db.all<{ agent_url: string }>(
    `select agent_url from agents
     where ends_with('.' || split_part(split_part(agent_url, '/', 3), ':', 1), $suffix)
       and length(agent_url) <= ${COMPARED_CHARS_MAX}
     order by agent_url limit ${AGENTS_COMPARED_MAX}`,
    { suffix: `.${site}` },
  )
  return rows.map(({ agent_url }) => agent_url)
}
