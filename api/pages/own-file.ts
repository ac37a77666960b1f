import type { Domain } from '../../pipeline/core/domain.ts'
import type { HostedKind } from '../../pipeline/model/hosted.ts'
import { toUrl } from '../../pipeline/model/observation.ts'
import type { BrandResolution, PublisherLookup } from '../../pipeline/model/responses/index.ts'
import type { Operation } from '../operation/operation.ts'
import { resolveBrand } from '../routes/brands/brands.ts'
import { lookUpPublisher } from '../routes/lookups.ts'

type Read = <Body>(
  operation: Operation,
  query: Readonly<Record<string, string>>,
) => Promise<{ body: Body }>

/** Says beside a way to host an adagents.json what such a file cannot do. */
export const HOSTED_NOTE =
  'A hosted file publishes your properties but can’t authorize agents; for that, serve the file from your own site.'

/** Says that hosting an adagents.json would serve nothing of it, and where to serve it instead. */
export function describeNothingHosted(domain: Domain | undefined): string {
  const place =
    domain === undefined ? 'your own site' : toUrl({ kind: 'adagents.json', location: domain })
  return `Nothing in this file can be hosted here: none of its properties belongs to ${domain ?? 'your domain'}, and a hosted file can’t authorize agents. Serve it at ${place} instead.`
}

/** Tells whether a domain serves a file of its own, so that none can be hosted for it. */
export async function hasOwnFile(read: Read, kind: HostedKind, domain: Domain): Promise<boolean> {
  if (kind === 'brand.json') {
    const { body } = await read<BrandResolution>(resolveBrand, { domain })
    return body.source === 'brand_json'
  }
  const { body } = await read<PublisherLookup>(lookUpPublisher, { domain, limit: '1' })
  return body.adagents_valid === true && body.hosting.mode !== 'aao_hosted'
}
