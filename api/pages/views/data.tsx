import { type DataFile, listLatestFiles } from '../../../pipeline/read/lookups/data-files.ts'
import {
  describeTables,
  type TableDescription,
} from '../../../pipeline/read/queries/table-descriptions.ts'
import { getSnapshot } from '../../responses/lists.ts'
import { askIfReady } from '../ask.ts'
import { LATEST_MANIFEST, toLatestPath } from '../data-files/data-routes.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { countThings, formatBytes, formatCount } from '../html/text.tsx'
import { renderFacts, renderSection } from '../parts/blocks.tsx'
import type { View, ViewCall } from '../view.ts'

/** Shows the data set: its tables, and how to open them. */
export async function show({ services }: ViewCall): Promise<View> {
  const { reader, config, baseUrl } = services
  const files = listLatestFiles(reader)
  const names = new Set(files.map(({ table }) => table))
  const described = await askIfReady(reader, async () => {
    const snapshot = getSnapshot(reader)
    return snapshot && describeTables(snapshot, names)
  })
  return {
    title: 'Data set',
    description: 'Everything public in the registry as Parquet files, at addresses that stay.',
    json: LATEST_MANIFEST,
    body: (
      <>
        <h1>Data set</h1>
        <p class="lead">
          Everything public in the registry as Parquet files: brands, publishers, properties, agents
          and who authorizes whom. A new release comes out once a day.
        </p>
        {files.length === 0 ? (
          <p>Nothing has been published yet. The first release follows the first crawl.</p>
        ) : (
          <>
            {renderSummary(files, config.DATA_LICENSE)}
            {renderSection('open', 'Open it', renderRecipes(baseUrl()))}
            {renderSection('tables', 'Tables', renderTables(files, described))}
          </>
        )}
      </>
    ),
  }
}

function renderSummary(files: readonly DataFile[], license: string | undefined): Html {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return renderFacts([
    ['Release', files[0]?.day],
    ['Size', `${formatBytes(bytes)} in ${countThings(files.length, 'table')}`],
    ['License', license ?? 'Not stated'],
    [
      'Manifest',
      <>
        <a href={LATEST_MANIFEST}>manifest.json</a>, with rows, sizes and SHA-256
      </>,
    ],
    ['One file', <a href="/data/registry.duckdb">registry.duckdb</a>],
  ])
}

function renderRecipes(origin: string): Html {
  const authorizations = origin + toLatestPath('authorizations')
  return (
    <>
      <p>DuckDB reads only the parts that a query needs:</p>
      <pre tabindex="0">{`select agent_url, count(*) as grants
from read_parquet('${authorizations}')
where in_force group by all order by grants desc limit 10`}</pre>
      <p>pandas:</p>
      <pre tabindex="0">{`import pandas
grants = pandas.read_parquet("${authorizations}")`}</pre>
      <p>Polars:</p>
      <pre tabindex="0">{`import polars
grants = polars.scan_parquet("${authorizations}").filter(polars.col("in_force")).collect()`}</pre>
      <p>
        Or <a href="/sql">query it in your browser</a>. To follow changes between releases, read the{' '}
        <a href="/docs/operations/readFeed">change feed</a>.
      </p>
    </>
  )
}

function renderTables(
  files: readonly DataFile[],
  described: ReadonlyMap<string, TableDescription> | undefined,
): Html {
  return (
    <>
      {files.map(({ table, rows, bytes }) => (
        <section>
          <h3 id={table}>
            <a href={toLatestPath(table)}>{table}</a>
          </h3>
          <p>
            {described?.get(table)?.comment}{' '}
            <span class="quiet">
              {countThings(rows, 'row')}, {formatBytes(bytes)}
            </span>
          </p>
          {renderColumns(described?.get(table)?.columns ?? [])}
        </section>
      ))}
    </>
  )
}

function renderColumns(columns: TableDescription['columns']): Html | null {
  if (columns.length === 0) return null
  return (
    <details>
      <summary>{formatCount(columns.length)} columns</summary>
      <dl>
        {columns.map(({ name, type, comment }) => (
          <>
            <dt>
              <code>{name}</code> <span class="quiet">{shortenType(type)}</span>
            </dt>
            <dd>{comment}</dd>
          </>
        ))}
      </dl>
    </details>
  )
}

/** Shortens a type: enums list all their values, which the data dictionary has. */
function shortenType(type: string): string {
  return /^ENUM\(/.test(type) ? 'ENUM' : type
}
