import { countThings } from '../../../pipeline/core/counts.ts'
import {
  describeTables,
  type TableDescription,
} from '../../../pipeline/read/queries/table-descriptions.ts'
import { getSnapshot } from '../../responses/lists.ts'
import { askIfReady } from '../ask.ts'
import { listExampleQueries } from '../cookbook.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { renderSection } from '../parts/blocks.tsx'
import { renderColumnList } from '../parts/column-list.tsx'
import { findProgram, findPublishedSnapshot } from '../published-files.ts'
import type { View, ViewCall } from '../view.ts'

/** Shows the page on which a reader's own browser answers questions in SQL. */
export async function show({
  services,
  query: { table },
}: ViewCall<{ table: string }>): Promise<View> {
  const snapshot = findPublishedSnapshot(services.reader)
  const program = snapshot && findProgram('sql.ts')
  const described = await askIfReady(services.reader, async () => {
    const current = getSnapshot(services.reader)
    return current && describeTables(current)
  })
  return {
    title: 'Query the data',
    description: 'SQL over everything the registry knows, answered by DuckDB in your browser.',
    program,
    body: (
      <>
        <h1>Query the data</h1>
        <p class="lead">
          The whole registry is one DuckDB file. Your browser downloads parts of it as your queries
          need them, and each result shows how much was downloaded.{' '}
          {described && <a href="#schema">Tables and columns</a>}
        </p>
        {snapshot === undefined ? (
          <p>Nothing has been published yet. Check back in a minute.</p>
        ) : (
          renderField()
        )}
        {renderSection('examples', 'Example queries', renderExamples())}
        {described && renderSection('schema', 'Tables and columns', renderSchema(described, table))}
        {renderSection(
          'elsewhere',
          'Query it on your own machine',
          renderElsewhere(services.baseUrl()),
        )}
      </>
    ),
  }
}

/** Renders the place where the page's program puts the field. */
function renderField(): Html {
  return (
    <div class="sql">
      <p>
        The editor needs JavaScript. Without it, query the file on your own machine, as shown below.
      </p>
    </div>
  )
}

function renderExamples(): Html {
  return (
    <>
      {listExampleQueries().map(({ question, sql }) => (
        <details>
          <summary>{question}</summary>
          <pre>{sql}</pre>
          <p>
            <a href={`#q=${encodeURIComponent(`-- ${question}\n${sql}`)}`}>Run this query</a>
          </p>
        </details>
      ))}
      <p>
        Times are in UTC, and DuckDB in the browser has no time zones. To compare or truncate times,
        write <code>utc_time(created_at)</code>, as in{' '}
        <code>where utc_time(created_at) &gt; utc_time(now()) - interval 1 day</code>. The UTC day
        is <code>utc_time(created_at)::date</code>, here and on your own machine.
      </p>
      <p>
        DuckDB in the browser has no extensions. To read JSON columns (<code>-&gt;</code>,{' '}
        <code>-&gt;&gt;</code>) or open Parquet files,{' '}
        <a href="#elsewhere">query the file on your own machine</a>.
      </p>
    </>
  )
}

/** Renders everything that a query may name; what its columns mean for the table that is chosen. */
function renderSchema(described: ReadonlyMap<string, TableDescription>, chosen: string): Html {
  return (
    <details open={described.has(chosen)}>
      <summary>{countThings(described.size, 'table or view', 'tables and views')}</summary>
      <div class="tables">
        {[...described.values()].map(({ name, comment, columns }) => (
          <details id={name} open={name === chosen}>
            <summary>
              <code>{name}</code>
            </summary>
            <p>{comment}</p>
            {name === chosen ? (
              renderColumnList(columns)
            ) : (
              <p>
                <code>{columns.map(column => column.name).join(', ')}</code>{' '}
                <a href={`/sql?table=${name}#${name}`}>Types and meanings</a>
              </p>
            )}
          </details>
        ))}
      </div>
    </details>
  )
}

function renderElsewhere(origin: string): Html {
  return (
    <>
      <p>
        Download the current <a href="/data/registry.duckdb">registry.duckdb</a> and run a query:
      </p>
      <pre>{`curl -sLO ${origin}/data/registry.duckdb
duckdb -readonly registry.duckdb "select agent_url, publishers from agent_reach order by publishers desc limit 5"`}</pre>
      <p>Or let DuckDB download only parts of the file:</p>
      <pre>{`duckdb -c "attach '${origin}/data/registry.duckdb' as registry (read_only); use registry; select agent_url, publishers from agent_reach order by publishers desc limit 5"`}</pre>
      <p>
        Each table is also available as a <a href="/data">Parquet file</a>.
      </p>
      <p>
        To list all tables and columns with their meanings:{' '}
        <code>
          select table_name, column_name, data_type, comment from duckdb_columns() where schema_name
          = 'main' and not internal
        </code>
        .
      </p>
    </>
  )
}
