import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { type Domain, parsePublisherDomain } from '../../pipeline/core/domain.ts'

export interface DomainsFile {
  domains: Domain[]
  /** Lines that name no domain, as `line: text`. */
  refused: string[]
}

/** Reads domains, one a line or as `rank,domain`; empty lines and `#` comments are passed over. */
export async function readDomainsFile(path: string): Promise<DomainsFile> {
  const domains = new Set<Domain>()
  const refused: string[] = []
  let number = 0
  for await (const line of createInterface({
    input: createReadStream(path),
    crlfDelay: Infinity,
  })) {
    number++
    const text = line.replace(/^\uFEFF/, '').trim()
    if (text === '' || text.startsWith('#')) continue
    const domain = parsePublisherDomain(text.split(',').at(-1)!.replaceAll('"', ''))
    if (domain === undefined) refused.push(`${number}: ${text}`)
    else domains.add(domain)
  }
  return { domains: [...domains], refused }
}
