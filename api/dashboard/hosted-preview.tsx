import type { Instant } from '../../pipeline/core/clock.ts'
import { countThings } from '../../pipeline/core/counts.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { stripPii } from '../../pipeline/core/pii.ts'
import { buildHostedAddress, type HostedKind, toHostingBase } from '../../pipeline/model/hosted.ts'
import type { Contact } from '../../pipeline/model/save.ts'
import { checkFile } from '../../pipeline/parse/check-file.ts'
import { buildHostedAdagentsFile } from '../../pipeline/resolve/hosted-adagents.ts'
import { buildHostedPart } from '../inputs/hosted-part.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { clipText } from '../pages/html/text.tsx'
import { renderSection } from '../pages/parts/blocks.tsx'

const PREVIEW_CHARS = 20_000
const FIELDS_LISTED = 30

/** A file to host, as its page has it. */
interface Proposed {
  kind: HostedKind
  domain: Domain
  text: string
}

/** The file that would be served, and what of the proposed one would not. */
interface Preview {
  file: Record<string, unknown>
  leftOut: string[]
  /** Says what is served, and read only later. */
  readLater?: string
}

/** Builds what the registry would serve for a proposed file; undefined if the file has errors, or nothing that would be served. */
export function buildPreview({ kind, domain, text }: Proposed, now: Instant): Preview | undefined {
  const { valid, document } = checkFile(kind, Buffer.from(text), { domain, now, maxFaults: 1 })
  if (!valid || document === undefined) return undefined
  if (kind === 'brand.json') {
    const submitted = JSON.parse(text) as Record<string, unknown>
    const file = stripPii(submitted)
    const isWhole = JSON.stringify(file) === JSON.stringify(submitted)
    const isHouse = document.variant === 'house_portfolio'
    return {
      file,
      leftOut: isWhole ? [] : ['Personal contact data.'],
      ...(isHouse && {
        readLater:
          `Until ${domain} itself points to this file, the registry shows one brand for the domain. Once it does, the ` +
          'registry reads the house and all its brands.',
      }),
    }
  }
  if (document.variant !== 'inline') return undefined
  const { properties, agents } = document
  const submitted = JSON.parse(text) as Submitted
  const hosted = buildHostedPart(document, domain, now)
  const file = buildHostedAdagentsFile(hosted, readContact(submitted))
  if (file === undefined) return undefined
  const foreign = properties.length - hosted.properties.length
  return {
    file,
    leftOut: [
      ...(agents.length > 0
        ? [
            `${countThings(agents.length, 'authorized agent')}: only the file that ${domain} serves itself can authorize agents.`,
          ]
        : []),
      ...(foreign > 0
        ? [
            `${countThings(foreign, 'property', 'properties')} of other domains: verify each of them to host a file of its own.`,
          ]
        : []),
      ...listMissing(submitted, file),
    ],
  }
}

/** Members of a file that come into the preview. */
interface Submitted {
  contact?: unknown
  properties?: unknown
}

/** Reads the contact of a file that an entry can keep: a name, with an address if there is one. */
export function readContact({ contact }: Submitted): Contact | undefined {
  if (typeof contact !== 'object' || contact === null) return undefined
  const { name, email } = contact as Record<string, unknown>
  if (typeof name !== 'string') return undefined
  return { name, ...(typeof email === 'string' && { email }) }
}

/** Lists the members of a file, its contact and its properties that the served one has not. */
function listMissing(submitted: Submitted, served: Submitted): string[] {
  const places = [
    // The agents have a line of their own.
    ['', [{ ...submitted, authorized_agents: [] }], [served]],
    ['contact.', [submitted.contact], [served.contact]],
    ['properties[].', toList(submitted.properties), toList(served.properties)],
  ] as const
  const missing = places.flatMap(([place, before, after]) => {
    const present = listMembers(after)
    // What there is nothing of needs no line of its own.
    if (place !== '' && present.size === 0) return []
    return [...listMembers(before)].filter(name => !present.has(name)).map(name => place + name)
  })
  return missing.length === 0
    ? []
    : [`These fields: ${missing.slice(0, FIELDS_LISTED).join(', ')}.`]
}

const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Lists the names under which any of some objects holds something. */
function listMembers(values: readonly unknown[]): Set<string> {
  const names = values.flatMap(value =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, held]) => (isEmpty(held) ? [] : [name]))
      : [],
  )
  return new Set(names)
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0)
}

/** Renders what will be served for a file and what will not. */
export function renderPreview(proposed: Proposed, preview: Preview, baseUrl: string): Html {
  const { kind, domain } = proposed
  const { file, leftOut, readLater } = preview
  return (
    <>
      {renderSection(
        'served',
        'What will be served',
        <>
          <p>
            At <code>{buildHostedAddress(baseUrl, kind, domain)}</code>:
          </p>
          <pre>{clipText(JSON.stringify(file, null, 2), PREVIEW_CHARS)}</pre>
          {readLater === undefined ? null : <p>{readLater}</p>}
        </>,
      )}
      {leftOut.length === 0
        ? null
        : renderSection(
            'left-out',
            'What won’t be served',
            <ul>
              {leftOut.map(text => (
                <li>{text}</li>
              ))}
            </ul>,
          )}
    </>
  )
}

/** Names the part of a page that has the pointer. */
export function namePointer(baseUrl: string): string {
  return toHostingBase(baseUrl) === undefined
    ? 'The next step on a public registry'
    : 'Add this to your site'
}

/** Renders the file with which a domain points to its hosted one, ready to be copied. */
export function renderPointer(kind: HostedKind, domain: string, baseUrl: string): Child {
  const pointer = { authoritative_location: buildHostedAddress(baseUrl, kind, domain) }
  const address = (
    <code>
      https://{domain}/.well-known/{kind}
    </code>
  )
  return (
    <>
      {toHostingBase(baseUrl) === undefined ? (
        <p>
          This registry has no public https URL, so a real domain can’t point to it and nothing more
          is needed here. On a public registry you would now serve this at {address}:
        </p>
      ) : (
        <p>The hosted file counts as the domain’s own once {address} has this content:</p>
      )}
      <pre>{JSON.stringify(pointer, null, 2)}</pre>
      {kind === 'adagents.json' ? (
        <p>
          A domain that points here authorizes no agent. To authorize agents, serve the whole file
          there instead.
        </p>
      ) : null}
    </>
  )
}
