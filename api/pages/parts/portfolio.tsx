import { countThings, formatCount } from '../../../pipeline/core/counts.ts'
import type { BrandResolution } from '../../../pipeline/model/responses/index.ts'
import type { Portfolio, PortfolioBrand } from '../../../pipeline/read/lookups/portfolios.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { fitItems, renderMoment, renderName } from '../html/text.tsx'
import { renderFacts, renderSection } from './blocks.tsx'
import { findFaces } from './faces.tsx'
import { renderBadge } from './freshness.tsx'
import { toBrandPath } from './paths.ts'

const TREE_MARK_PX = 28

const trusts: Readonly<Record<string, string>> = {
  inline: 'declared in the house’s own brand.json',
  mutual: 'both files name each other',
  leaf_only: 'only the brand names the house',
  house_only: 'only the house names the brand',
  unverifiable: 'the house has no brand.json that can confirm it',
}

/** Renders the house of a brand, and its portfolio as a tree. */
export function renderHouse(
  reader: Reader,
  brand: BrandResolution,
  domain: string,
  portfolio: Portfolio,
): Html {
  const { house_domain, claimed_house_domain, house_name, relationship_trust } = brand
  const isHouse = portfolio.total > 0
  const house = house_domain ?? claimed_house_domain
  const isClaimed = relationship_trust === 'house_only'
  const isProven = house_domain !== undefined && !isClaimed
  const parts = [
    house === undefined || house === domain ? null : (
      <p>
        {isProven ? 'Belongs to ' : isClaimed ? 'Claimed by ' : 'Says it belongs to '}
        <a href={toBrandPath(house)}>{renderName(house_name ?? house)}</a>{' '}
        {isProven ? renderBadge('good', 'verified') : renderBadge('fair', 'not verified')}
      </p>
    ),
    renderFacts([
      [
        'Verification',
        house !== undefined &&
          house !== domain &&
          relationship_trust &&
          (trusts[relationship_trust] ?? relationship_trust),
      ],
      ['Declared', brand.relationship_declared_at && renderMoment(brand.relationship_declared_at)],
      ['Verified', brand.relationship_verified_at && renderMoment(brand.relationship_verified_at)],
    ]),
    isHouse ? renderTree(reader, portfolio, { name: brand.brand_name, domain }) : null,
  ]
  const nothing =
    brand.source !== 'brand_json'
      ? 'Unknown: the registry reads them only from a brand.json that the domain itself serves or points to.'
      : house === domain
        ? 'The brand is its own house, and no other brand belongs to it.'
        : 'No house or sub-brands declared.'
  return renderSection(
    'house',
    'House and portfolio',
    parts.some(part => part !== null) ? parts : <p class="empty">{nothing}</p>,
    isHouse ? countThings(portfolio.total, 'brand') : undefined,
  )
}

/** Renders brands below the brand that they name as their parent; `root` names the house. */
export function renderTree(
  reader: Reader,
  { brands, total }: Portfolio,
  root: { name: string; domain: string },
): Html {
  const { renderMark } = findFaces(reader, [root.domain, ...brands.map(({ domain }) => domain)])
  const ids = new Set(brands.flatMap(({ brand_id }) => brand_id ?? []))
  const hasParent = ({ parent_brand, brand_id }: PortfolioBrand) =>
    parent_brand !== null && parent_brand !== brand_id && ids.has(parent_brand)
  const children = Map.groupBy(brands.filter(hasParent), ({ parent_brand }) => parent_brand)
  const render = (brand: PortfolioBrand): Html => {
    const below = (brand.brand_id && children.get(brand.brand_id)) || []
    if (brand.brand_id) children.delete(brand.brand_id)
    return (
      <li>
        {renderMark(brand.domain, TREE_MARK_PX, brand.brand_name)}{' '}
        <a href={toBrandPath(brand.domain)}>{renderName(brand.brand_name, 80)}</a>{' '}
        <span class="quiet">{brand.domain}</span>{' '}
        {brand.is_proven ? null : renderBadge('fair', 'claimed')}
        {below.length > 0 ? <ul>{below.map(render)}</ul> : null}
      </li>
    )
  }
  const { rows, shown } = fitItems(
    brands.filter(brand => !hasParent(brand)),
    render,
    { limit: 100, bytes: 24_000 },
  )
  const hidden = total - brands.length + brands.filter(brand => !hasParent(brand)).length - shown
  return (
    <>
      <div class="tree">
        <p>
          {renderMark(root.domain, TREE_MARK_PX, root.name)} {renderName(root.name)}
        </p>
        <ul>{rows}</ul>
      </div>
      {hidden > 0 ? <p class="more">and {formatCount(hidden)} more</p> : null}
    </>
  )
}
