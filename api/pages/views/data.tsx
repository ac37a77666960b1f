import {
  type DataFile,
  listDays,
  listLatestFiles,
} from '../../../pipeline/read/lookups/data-files.ts'
import {
  describeTables,
  type TableDescription,
} from '../../../pipeline/read/queries/table-descriptions.ts'
import { getSnapshot } from '../../responses/lists.ts'
import { askIfReady } from '../ask.ts'
import { buildSummary, DESCRIPTION } from '../data-files/croissant.ts'
import {
  CROISSANT_PATH,
  LATEST_CHANGES,
  LATEST_MANIFEST,
  toFileName,
  toLatestPath,
  toManifestPath,
} from '../data-files/data-routes.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { renderLinkedData } from '../html/linked-data.ts'
import { countThings, formatBytes } from '../html/text.tsx'
import { renderFacts, renderSection } from '../parts/blocks.tsx'
import { renderColumnList } from '../parts/column-list.tsx'
import type { View, ViewCall } from '../view.ts'

/** Shows the data set: its tables, how to open them, and the columns of the table that is chosen. */
export async function show({
  services,
  query: { table },
}: ViewCall<{ table: string }>): Promise<View> {
  const { reader, config, baseUrl } = services
  const files = listLatestFiles(reader)
  const described = await askIfReady(reader, async () => {
    const snapshot = getSnapshot(reader)
    return snapshot && describeTables(snapshot)
  })
  return {
    title: 'Data set',
    description: DESCRIPTION,
    ...(files.length > 0 && { json: LATEST_MANIFEST }),
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
            {renderSection('tables', 'Tables', renderTables(files, described, table))}
            {renderSection('releases', 'Releases', renderReleases(listDays(reader)))}
            {renderLinkedData(
              buildSummary({ origin: baseUrl(), license: config.DATA_LICENSE, files }),
            )}
          </>
        )}
      </>
    ),
  }
}

function renderSummary(files: readonly DataFile[], license: string | undefined): Html {
  const bytes = sum(files, 'bytes')
  return renderFacts([
    ['Release', files[0]?.day],
    ['Size', `${formatBytes(bytes)} in ${countThings(files.length, 'file')}`],
    ['License', license],
    [
      'Manifest',
      <>
        <a href={LATEST_MANIFEST}>manifest.json</a>, with rows, sizes and SHA-256
      </>,
    ],
    [
      'Changes',
      <>
        <a href={LATEST_CHANGES}>changes.json</a>, with the rows of each table that were added,
        removed and changed
      </>,
    ],
    [
      'Description',
      <>
        <a href={CROISSANT_PATH}>croissant.json</a>, with the types and meanings of all columns
      </>,
    ],
    ['One file', <a href="/data/registry.duckdb">registry.duckdb</a>],
  ])
}

function renderRecipes(origin: string): Html {
  const authorizations = origin + toLatestPath({ table: 'authorizations' })
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

function renderReleases(days: readonly string[]): Html {
  return (
    <>
      <p>
        A release never changes, so what you have read can be read again. When a domain is taken
        down, all releases with its data are removed.
      </p>
      <ul>
        {days.map(day => (
          <li>
            <a href={toManifestPath(day)}>{day}</a>
          </li>
        ))}
      </ul>
    </>
  )
}

function renderTables(
  files: readonly DataFile[],
  described: ReadonlyMap<string, TableDescription> | undefined,
  chosen: string,
): Html {
  return (
    <>
      {[...Map.groupBy(files, file => file.table)].map(([table, parts]) => (
        <section>
          <h3 id={table}>{table}</h3>
          <p>
            {described?.get(table)?.comment}{' '}
            <span class="quiet">
              {countThings(sum(parts, 'rows'), 'row')}, {formatBytes(sum(parts, 'bytes'))}
            </span>
          </p>
          <p>
            {parts.map(part => (
              <>
                <a href={toLatestPath(part)}>{toFileName(part)}</a>{' '}
              </>
            ))}
          </p>
          {renderColumns(table, described?.get(table)?.columns ?? [], chosen === table)}
        </section>
      ))}
    </>
  )
}

const sum = (files: readonly DataFile[], of: 'rows' | 'bytes') =>
  files.reduce((total, file) => total + file[of], 0)

function renderColumns(
  table: string,
  columns: TableDescription['columns'],
  isChosen: boolean,
): Html | null {
  if (columns.length === 0) return null
  if (isChosen) return renderColumnList(columns)
  return (
    <p>
      <a href={`/data?table=${table}#${table}`}>{countThings(columns.length, 'column')}</a>
    </p>
  )
}
