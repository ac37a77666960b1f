import { createInterface } from 'node:readline'
import { type Domain, parsePastedDomain } from '../../pipeline/core/domain.ts'
import { getLast } from '../../pipeline/core/present.ts'
import { nameInput, openInput } from './input.ts'

export interface DomainsFile {
  domains: Domain[]
  /** Lines that name no domain, as `number: text`. */
  refused: string[]
}

/** Bounds of the report on lines that name no domain. */
const SHOWN_CHARS = 100
const SHOWN_LINES = 20

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are replaced before text is echoed
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g

/**
 * Reads domains, one per line or as `rank,domain`, skipping empty lines and `#` comments. Throws
 * where the file cannot be read or names no domain.
 */
export async function readDomainsFile(typed: string): Promise<DomainsFile> {
  const domains = new Set<Domain>()
  const refused: string[] = []
  let number = 0
  for await (const line of createInterface({
    input: await openInput(typed),
    crlfDelay: Infinity,
  })) {
    number++
    const text = line.replace(/^\uFEFF/, '').trim()
    if (text === '' || text.startsWith('#')) continue
    const domain = parsePastedDomain(getLast(text.split(',')).replaceAll('"', ''))
    if (domain === undefined) refused.push(`${number}: ${shorten(text)}`)
    else domains.add(domain)
  }
  if (domains.size === 0) {
    const lines = describeRefused(refused).map(line => `\n${line}`)
    throw new Error(`${nameInput(typed)} contains no domain${lines.join('')}`)
  }
  return { domains: [...domains], refused }
}

/** Describes the first lines that name no domain, and counts the others. */
export function describeRefused(refused: readonly string[]): string[] {
  const lines = refused.slice(0, SHOWN_LINES).map(line => `not a domain, line ${line}`)
  const more = refused.length - lines.length
  return more === 0 ? lines : [...lines, `and ${more} more lines that are not domains`]
}

function shorten(text: string): string {
  const printable = text.replace(CONTROL, '\uFFFD')
  return printable.length > SHOWN_CHARS ? `${printable.slice(0, SHOWN_CHARS)}…` : printable
}
