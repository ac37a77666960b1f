import { DEFAULT_KELLER_TYPE } from '../../../pipeline/model/documents/vocabulary.ts'
import { type BrandRow, brandDirectory } from '../../../pipeline/read/queries/directories.ts'
import { brandChoices, type Chosen } from '../directory-choices.ts'
import { loadDirectory } from '../directory-page.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { renderName } from '../html/text.tsx'
import { renderListedSource } from '../parts/brand.tsx'
import { renderDirectory } from '../parts/directory.tsx'
import { findFaces } from '../parts/faces.tsx'
import { toBrandPath } from '../parts/paths.ts'
import type { View, ViewCall } from '../view.ts'

/** Shows all brands. */
export async function show(call: ViewCall<Chosen>): Promise<View> {
  const found = await loadDirectory<BrandRow>(call, brandDirectory)
  const { reader } = call.services
  const faces = findFaces(reader, found.page?.rows.map(({ id }) => id) ?? [])
  return {
    title: 'Brands',
    description:
      'Every brand that the registry knows, with its house and the source of its identity.',
    json: '/api/brands/registry',
    body: (
      <>
        <h1>Brands</h1>
        <p class="lead">Who is behind each domain, and which house it belongs to.</p>
        {renderDirectory({
          path: '/brands',
          nouns: ['brand', 'brands'],
          choices: brandChoices,
          chosen: call.query,
          found,
          render: brand => ({
            mark: faces.renderMark(brand.id, 40, brand.name),
            link: <a href={toBrandPath(brand.id)}>{renderName(brand.name, 100)}</a>,
            below: (
              <>
                {renderName(brand.id)}
                {describePlace(brand)}
              </>
            ),
            aside: renderListedSource(call.services, brand.id, brand.source),
          }),
        })}
      </>
    ),
  }
}

/** Describes the type of a brand and its house. Rows say `master` also where no file states a type. */
function describePlace({ id, type, house_domain, house_name }: BrandRow): Html {
  const isOwn = house_domain === null || house_domain === id
  return (
    <>
      {type === DEFAULT_KELLER_TYPE
        ? null
        : ` · ${brandChoices.fields.type.words[type].toLowerCase()}`}
      {isOwn ? null : (
        <>
          {' '}
          · part of{' '}
          <a href={toBrandPath(house_domain)}>{renderName(house_name ?? house_domain, 80)}</a>
        </>
      )}
    </>
  )
}
