import { countThings, formatBytes, formatCount } from '../../../pipeline/core/counts.ts'
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
import { clipText, renderMoment } from '../html/text.tsx'
import { renderFacts, renderSection, renderTable } from '../parts/blocks.tsx'
import { renderColumnList } from '../parts/column-list.tsx'
import { findSnapshotSize } from '../published-files.ts'
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
  const isKnown = table === '' || files.length === 0 || files.some(file => file.table === table)
  return {
    ...(!isKnown && { status: 404 }),
    title: 'Data set',
    description: DESCRIPTION,
    ...(files.length > 0 && { json: LATEST_MANIFEST }),
    body: (
      <>
        <h1>Data set</h1>
        <p class="lead">
          Everything public in the registry as Parquet files: brands, publishers, properties, agents
          and who authorizes whom. A new release comes out once a day. The{' '}
          <a href="/docs/guides/analyst">analyst’s guide</a> answers common questions.
        </p>
        {isKnown ? null : <p class="notice bad">There is no table called {clipText(table, 60)}.</p>}
        {files.length === 0 ? (
          <p>Nothing has been published yet. The first release follows the first crawl.</p>
        ) : (
          <>
            {renderSummary(files, config.DATA_LICENSE, findSnapshotSize(reader))}
            {renderSection('open', 'Open it', renderRecipes(baseUrl()))}
            {isKnown && renderColumns(described?.get(table))}
            {renderSection('tables', 'Tables', renderTables(files, described))}
            {described && renderSection('views', 'Views', renderViews(files, described))}
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

function renderSummary(
  files: readonly DataFile[],
  license: string | undefined,
  snapshotBytes: number | undefined,
): Html | null {
  const bytes = sum(files, 'bytes')
  return renderFacts([
    ['Release', files[0]?.day],
    ['As of', renderMoment(files[0]?.as_of)],
    ['Size', `${formatBytes(bytes)} in ${countThings(files.length, 'file')}`],
    ['License', license ?? 'None set: ask the operator of this registry before you republish it'],
    [
      'Manifest',
      <>
        <a href={LATEST_MANIFEST}>manifest.json</a>, with rows, sizes and SHA-256
      </>,
    ],
    [
      'Changes',
      <>
        <a href={LATEST_CHANGES}>changes.json</a>, with the number of rows in each table that were
        added, removed and changed
      </>,
    ],
    [
      'Description',
      <>
        <a href={CROISSANT_PATH}>croissant.json</a>, with the types and meanings of all columns
      </>,
    ],
    [
      'One file',
      <>
        <a href="/data/registry.duckdb">registry.duckdb</a>
        {snapshotBytes !== undefined && <span class="quiet"> {formatBytes(snapshotBytes)}</span>}
      </>,
    ],
  ])
}

function renderRecipes(origin: string): Html {
  const authorizations = origin + toLatestPath({ table: 'authorizations' })
  return (
    <>
      <p>DuckDB reads only the parts that a query needs:</p>
      <pre>{`select agent_url, count(*) as grants
from read_parquet('${authorizations}')
where in_force group by all order by grants desc limit 10`}</pre>
      <details class="fold">
        <summary>With pandas, Polars or Spark</summary>
        <p>pandas:</p>
        <pre>{`import pandas
grants = pandas.read_parquet("${authorizations}")`}</pre>
        <p>Polars:</p>
        <pre>{`import polars
grants = polars.scan_parquet("${authorizations}")
in_force = grants.filter(polars.col("in_force")).collect()`}</pre>
        <p>
          Spark reads a local copy, here of one table.{' '}
          <a href="/docs/guides/parquet">Tables as Parquet</a> shows how to query a bucket:
        </p>
        <pre>{`# curl -O ${authorizations}
grants = spark.read.parquet("authorizations.parquet").where("in_force")`}</pre>
      </details>
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
        A release never changes, so results are reproducible. When a domain is taken down, all
        releases with its data are removed.
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

function renderColumns(table: TableDescription | undefined): Html | undefined {
  if (table === undefined) return undefined
  const { name, columns } = table
  return renderSection(name, `Columns of ${name}`, renderColumnList(columns, 'guides'))
}

/** Tables that most questions begin with, which stand first. */
const FIRST_TABLES = [
  'brands',
  'publishers',
  'properties',
  'authorizations',
  'grants_flat',
  'agents',
]

/** Renders the views that only the DuckDB file has. */
function renderViews(
  files: readonly DataFile[],
  described: ReadonlyMap<string, TableDescription>,
): Html {
  const exported = new Set(files.map(file => file.table))
  const views = [...described.values()].filter(({ name }) => !exported.has(name))
  return (
    <>
      <p>
        Views answer common questions and are only in{' '}
        <a href="/data/registry.duckdb">registry.duckdb</a>.
      </p>
      <details class="fold">
        <summary>{countThings(views.length, 'view')}</summary>
        <dl class="guides">
          {views.map(({ name, comment }) => (
            <>
              <dt>
                <a href={`/sql?table=${name}#${name}`}>
                  <code>{name}</code>
                </a>
              </dt>
              <dd>{comment}</dd>
            </>
          ))}
        </dl>
      </details>
    </>
  )
}

function renderTables(
  files: readonly DataFile[],
  described: ReadonlyMap<string, TableDescription> | undefined,
): Html {
  const tables = [...Map.groupBy(files, file => file.table)].map(([name, parts]) => ({
    name,
    parts,
    described: described?.get(name),
  }))
  const first = FIRST_TABLES.flatMap(name => tables.find(table => table.name === name) ?? [])
  return renderTable({
    caption: 'Tables',
    columns: ['Table', 'Contents', 'Columns', 'Rows', 'File'],
    items: [...new Set([...first, ...tables])],
    open: first.length,
    empty: 'None.',
    limit: tables.length,
    bytes: 40_000,
    render: ({ name, parts, described }) => [
      <code>{name}</code>,
      described?.comment,
      described && <a href={`/data?table=${name}#${name}`}>{described.columns.length}</a>,
      formatCount(sum(parts, 'rows')),
      parts.map(part => (
        <div class="whole">
          <a href={toLatestPath(part)}>{parts.length === 1 ? 'Parquet' : toFileName(part)}</a>{' '}
          <span class="quiet">{formatBytes(part.bytes)}</span>
        </div>
      )),
    ],
  })
}

const sum = (files: readonly DataFile[], of: 'rows' | 'bytes') =>
  files.reduce((total, file) => total + file[of], 0)
