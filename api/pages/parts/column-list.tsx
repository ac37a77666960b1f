import type { ColumnDescription } from '../../../pipeline/read/queries/table-descriptions.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'

/** Renders the columns of a table of the data set, with their types and meanings; these stand beside them in `guides`. */
export function renderColumnList(columns: readonly ColumnDescription[], look?: 'guides'): Html {
  return (
    <dl class={look}>
      {columns.map(({ name, type, comment }) => (
        <>
          <dt>
            <code>{name}</code> <span class="quiet">{shortenType(type)}</span>
          </dt>
          <dd>{comment}</dd>
        </>
      ))}
    </dl>
  )
}

/** Shortens a type: enums list all their values, which the data dictionary has. */
function shortenType(type: string): string {
  return /^ENUM\(/.test(type) ? 'ENUM' : type
}
