import { type Instant, toIso } from '../../pipeline/core/clock.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { stripPii } from '../../pipeline/core/pii.ts'
import { buildHostedAddress, type HostedKind, toHostingBase } from '../../pipeline/model/hosted.ts'
import { checkFile } from '../../pipeline/parse/check-file.ts'
import {
  buildHostedAdagents,
  buildHostedAdagentsFile,
} from '../../pipeline/resolve/hosted-adagents.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { clipText, countThings } from '../pages/html/text.tsx'
import { renderSection } from '../pages/parts/blocks.tsx'

const PREVIEW_CHARS = 20_000

/** A file to host, as its page has it. */
interface Proposed {
  kind: HostedKind
  domain: Domain
  text: string
}

/** The file that would be served, and what of the proposed one would not. */
interface Preview {
  file: Record<string, unknown> | undefined
  leftOut: string[]
}

/** Builds what the registry would serve for a proposed file; undefined if the file has errors. */
export function buildPreview({ kind, domain, text }: Proposed, now: Instant): Preview | undefined {
  const { valid, document } = checkFile(kind, Buffer.from(text), { domain, now, maxFaults: 1 })
  if (!valid || document === undefined) return undefined
  if (kind === 'brand.json') {
    const submitted = JSON.parse(text) as Record<string, unknown>
    const file = stripPii(submitted)
    const isWhole = JSON.stringify(file) === JSON.stringify(submitted)
    return { file, leftOut: isWhole ? [] : ['Contact data of people.'] }
  }
  if (document.variant !== 'inline') return undefined
  const { properties, agents } = document
  const saved = properties.map(property => ({ ...property, property_rid: '' }))
  const updated_at = toIso(now)
  const hosted = buildHostedAdagents({ domain, properties: saved, updated_at })
  const foreign = properties.length - hosted.properties.length
  const others = (['collections', 'placements', 'formats', 'signals'] as const).filter(
    name => document[name].length > 0,
  )
  return {
    file: buildHostedAdagentsFile(hosted, undefined),
    leftOut: [
      ...(agents.length > 0
        ? [
            `${countThings(agents.length, 'authorized agent')}: only the file that ${domain} serves itself can authorize agents.`,
          ]
        : []),
      ...(foreign > 0
        ? [`${countThings(foreign, 'property', 'properties')} of other domains.`]
        : []),
      ...(others.length > 0 ? [`Its ${others.join(', ')}.`] : []),
    ],
  }
}

/** Renders what will be served for a file and what will not, and the file that the domain has to serve. */
export function renderPreview(proposed: Proposed, preview: Preview, baseUrl: string): Html {
  const { kind, domain } = proposed
  const { file = {}, leftOut } = preview
  return (
    <>
      {renderSection(
        'served',
        'What will be served',
        <>
          <p>
            At <code>{buildHostedAddress(baseUrl, kind, domain)}</code>:
          </p>
          <pre tabindex="0">{clipText(JSON.stringify(file, null, 2), PREVIEW_CHARS)}</pre>
        </>,
      )}
      {leftOut.length === 0
        ? null
        : renderSection(
            'left-out',
            'What will not be served',
            <ul>
              {leftOut.map(text => (
                <li>{text}</li>
              ))}
            </ul>,
          )}
      {renderSection(
        'pointer',
        'What the domain has to serve',
        renderPointer(kind, domain, baseUrl),
      )}
    </>
  )
}

/** Renders the file with which a domain points to its hosted one, ready to be copied. */
export function renderPointer(kind: HostedKind, domain: string, baseUrl: string): Child {
  const pointer = { authoritative_location: buildHostedAddress(baseUrl, kind, domain) }
  return (
    <>
      <p>
        The hosted file counts as the domain’s own once{' '}
        <code>
          https://{domain}/.well-known/{kind}
        </code>{' '}
        has this content:
      </p>
      <pre tabindex="0">{JSON.stringify(pointer, null, 2)}</pre>
      {toHostingBase(baseUrl) === undefined ? (
        <p class="notice fair">
          Pointers need a public https address. This registry has none, so this step cannot be
          completed here.
        </p>
      ) : null}
      {kind === 'adagents.json' ? (
        <p>
          A domain that points here authorizes no agent. To authorize agents, serve the whole file
          there instead.
        </p>
      ) : null}
    </>
  )
}
