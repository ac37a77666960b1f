import { requireValue } from '../../../pipeline/core/present.ts'
import { parseUrl } from '../../../pipeline/core/url.ts'
import type { LogoList } from '../../../pipeline/model/logo.ts'
import type { BrandResolution } from '../../../pipeline/model/responses/index.ts'
import { isObject } from '../../../pipeline/parse/object-reader.ts'
import type { FileRecord } from '../../../pipeline/read/lookups/file-records.ts'
import { findHostedByOwner } from '../../../pipeline/read/lookups/ownership.ts'
import type { BrandSource } from '../../../pipeline/read/queries/directories.ts'
import { brandChoices } from '../directory-choices.ts'
import { type Child, Fragment, type Html, h } from '../html/jsx.ts'
import { clipText, renderName, renderOutside } from '../html/text.tsx'
import type { ViewCall } from '../view.ts'
import { renderFacts, renderJson, renderSection, renderTitle } from './blocks.tsx'
import { renderBadge } from './freshness.tsx'
import { readColors, renderColors, renderMonogram } from './looks.tsx'

const NAMES = 20
const RULES_SHOWN_MAX = 12

type Logos = LogoList['logos']

/** Facts that the head of a brand's page shows besides its name. */
interface BrandFacts {
  isHouse: boolean
  /** True if its owner hosts its brand.json here. */
  isHosted: boolean
  watch: Html | null
  /** The file that describes it, where its own one only points there. */
  describer: string | undefined
}

/** Renders the name of a brand beside its logo, where this server has one. */
export function renderHead(
  brand: BrandResolution,
  domain: string,
  logos: Logos,
  { isHouse, isHosted, watch, describer }: BrandFacts,
): Html {
  const logo = logos.find(({ url }) => url !== undefined)
  const { brand_name, source } = brand
  return renderTitle({
    mark:
      logo === undefined ? (
        renderMonogram(brand_name, domain)
      ) : (
        <img
          class="logo"
          src={toPath(requireValue(logo.url, 'address of the logo'))}
          alt={`Logo of ${clipText(brand_name, 80)}`}
          width="64"
          height="64"
        />
      ),
    kind: isHouse ? 'House' : 'Brand',
    name: brand_name,
    watch,
    below: (
      <>
        <code>{renderName(domain)}</code>{' '}
        {describer
          ? renderBadge('good', `From ${clipText(describer, 80)}`)
          : renderSource(source, isHosted)}
      </>
    ),
  })
}

/** Renders where the facts of a brand are from; `isHosted` is true where its owner hosts its file here. */
function renderSource(source: BrandSource, isHosted: boolean): Html {
  const isMembers = source === 'community' || source === 'enriched'
  const words = isHosted ? 'Hosted here by its owner' : brandChoices.fields.source.words[source]
  return renderBadge(isMembers ? 'fair' : 'good', words)
}

/** Renders where the facts of a brand in a list are from. */
export function renderListedSource(
  { reader, config }: ViewCall['services'],
  domain: string,
  source: BrandSource,
): Html {
  const isHosted =
    source === 'community' &&
    findHostedByOwner(reader, 'brand.json', domain, config.LIMITS.proofDays) !== undefined
  return renderSource(source, isHosted)
}

/** Finds which file describes a brand: its own one may be no more than a pointer to that. */
export function findSource(
  { source, house_name }: Pick<BrandResolution, 'source' | 'house_name'>,
  file: FileRecord | null | undefined,
): BrandSource {
  if (source !== 'brand_json') return source
  if (file?.variant === 'authoritative_location') return 'file_elsewhere'
  return file?.variant === 'house_redirect' && house_name ? 'house_file' : source
}

/** Returns the path of a picture that the registry itself serves. */
function toPath(url: string): string {
  return parseUrl(url)?.pathname ?? url
}

/** Renders the texts, tone and colors of a brand, as far as its source has them; nothing where it has none. */
export function renderLooks(brand: Pick<BrandResolution, 'brand_manifest' | 'names'>): Html | null {
  const { brand_manifest: manifest, names = [] } = brand
  const colors = readColors(manifest)
  const outside = readLogoAddresses(manifest)
  const { description, tagline, tone, industries, industry, url } = manifest ?? {}
  const said = renderFacts([
    ['Description', typeof description === 'string' && renderName(description, 500)],
    ['Tagline', typeof tagline === 'string' ? renderName(tagline, 200) : renderNames(tagline)],
    ...listTone(tone),
    ['Industries', readWords(industries ?? industry)],
    ['Website', typeof url === 'string' && renderOutside(url)],
    ['Names', names.length > 1 && renderNames(names)],
    [
      'Logo files',
      outside.length > 0 && outside.map(address => <div>{renderOutside(address)}</div>),
    ],
    ['Colors', colors.length > 0 && renderColors(colors)],
  ])
  return said === null ? null : renderSection('looks', 'Visual identity and tone', said)
}

/** Renders the names of a thing in its languages; nothing of what is no list of them. */
function renderNames(value: unknown): Html[] | false {
  const names = [value]
    .flat()
    .slice(0, NAMES)
    .flatMap(name => (isObject(name) ? Object.entries(name).slice(0, 3) : []))
  return (
    names.length > 0 &&
    names.map(([locale, text]) => (
      <div>
        <span class="quiet">{clipText(locale, 12)}</span> {renderName(text)}
      </div>
    ))
  )
}

/** Lists the facts of a tone, which is a sentence or an object with a voice and rules. */
function listTone(tone: unknown): [name: string, value: Child][] {
  const { voice, attributes, dos, donts } = isObject(tone) ? tone : { voice: tone }
  return [
    ['Tone', readWords([voice, attributes].flat(), 400)],
    ['Do', renderLines(dos)],
    ['Don’t', renderLines(donts)],
  ]
}

/** Renders sentences, one per line; nothing of what is no list of them. */
function renderLines(value: unknown): Html[] | false {
  const lines = [value].flat().filter(line => typeof line === 'string')
  return (
    lines.length > 0 &&
    lines.slice(0, RULES_SHOWN_MAX).map(line => <div>{renderName(line, 200)}</div>)
  )
}

function readWords(value: unknown, limit = 200): string | undefined {
  const words = [value].flat().filter(word => typeof word === 'string')
  return words.length === 0 ? undefined : clipText(words.slice(0, 12).join(', '), limit)
}

const LOGOS = 6

function readLogoAddresses(manifest: Readonly<Record<string, unknown>> | undefined): string[] {
  const listed = [manifest?.logos ?? manifest?.logo ?? []].flat(1)
  return listed
    .map(logo => (typeof logo === 'object' && logo !== null ? Reflect.get(logo, 'url') : logo))
    .filter((address): address is string => typeof address === 'string')
    .filter(address => address.length <= 500)
    .slice(0, LOGOS)
}

/** Renders the parsed file; a long one is cut, since the JSON answer has all of it. */
export function renderRaw({ freshness: _, ...brand }: BrandResolution): Html {
  return renderJson(brand)
}
