import { getEffect, type Outcome, outcomes } from '../../pipeline/core/outcomes.ts'
import { parseUrl } from '../../pipeline/core/url.ts'
import type { Evidence } from '../../pipeline/model/responses/authority.ts'
import type { FreshnessBlock } from '../../pipeline/model/responses/freshness.ts'
import { listFilesOfIdentifier } from '../../pipeline/read/lookups/deciding-files.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { buildPublisherEvidence, createCitedPublisher } from '../responses/evidence.ts'
import { showDomains } from './html/text.tsx'
import { PUBLISHER_REVOKED } from './parts/verdict.tsx'
import { loadRevoker } from './revocation.ts'

const isSilent: ReadonlySet<string> = new Set(['agent_not_listed', 'identifier_not_known'])
const isUnread: ReadonlySet<string> = new Set(['file_not_known', 'identifier_not_known'])

/** Names the file that revokes a publisher or that cannot be used, where a step says no more than that it lists nothing. */
export async function explainSilence(
  reader: Reader,
  step: Evidence,
  domain: string,
  { outcome }: FreshnessBlock,
): Promise<Evidence> {
  const revoker = isSilent.has(step.rule) ? await loadRevoker(reader, domain) : undefined
  if (revoker !== undefined) {
    const text = `the file of ${showDomains(revoker)} lists this publisher as revoked`
    return { ...step, domain, rule: PUBLISHER_REVOKED, text }
  }
  const publisher =
    step.domain ?? listFilesOfIdentifier({ type: 'domain', value: domain })[0]?.[0]?.location
  const failure = outcome as Outcome | undefined
  const isRead = failure === undefined || getEffect(failure) === 'success'
  if (!isUnread.has(step.rule) || isRead || publisher === undefined) return step
  const found = buildPublisherEvidence(createCitedPublisher(reader, publisher), {
    rule: 'file_not_known',
  })
  const host = String(showDomains(parseUrl(found.file ?? '')?.hostname ?? publisher))
  return { ...step, ...found, text: describeUnusable(host, failure) }
}

/** Describes why the file of a host says nothing. */
function describeUnusable(host: string, outcome: Outcome): string {
  if (outcome === 'not_json') return `the adagents.json of ${host} is not valid JSON`
  if (getEffect(outcome) === 'absent') return `no adagents.json was found at ${host}`
  return `the adagents.json of ${host} cannot be used: ${outcomes[outcome].means}`
}
