import type { FastifyReply, FastifyRequest } from 'fastify'
import { PublicError } from '../../../pipeline/core/errors.ts'
import {
  assertUntouched,
  type DataFile,
  listDataFiles,
  listLatestFiles,
} from '../../../pipeline/read/lookups/data-files.ts'
import { readSchemaVersion } from '../../../pipeline/read/queries/table-descriptions.ts'
import type { Services } from '../../operation/services.ts'
import { isUnchanged } from '../../responses/freshness.ts'

const PARQUET = 'application/vnd.apache.parquet'
const FILE = /^([a-z_]+)\.parquet$/

export const LATEST = '/data/latest'
export const LATEST_MANIFEST = `${LATEST}/manifest.json`
const RELEASES = '/data/releases'
export const tablePaths = [`${LATEST}/:file`, `${RELEASES}/:day/:file`]
export const dataPaths = [LATEST_MANIFEST, ...tablePaths]

export const toLatestPath = (table: string) => `${LATEST}/${table}.parquet`
const toReleasePath = ({ table, day }: DataFile) => `${RELEASES}/${day}/${table}.parquet`

export interface TableParams {
  file?: string
  day?: string
}
type Source = Pick<Services, 'reader' | 'config'>

/** Sends the manifest of the latest release: its tables, with sizes, rows and digests. */
export async function sendManifest(reply: FastifyReply, { reader, config }: Source) {
  const files = listLatestFiles(reader)
  const [first] = files
  if (first === undefined) throw buildAbsence()
  const schema_version = reader.snapshot && (await readSchemaVersion(reader.snapshot))
  return reply.headers({ 'cache-control': 'public, no-cache' }).send({
    day: first.day,
    schema_version,
    license: config.DATA_LICENSE ?? null,
    tables: files.map(file => ({
      table: file.table,
      url: toLatestPath(file.table),
      release_url: toReleasePath(file),
      rows: file.rows,
      bytes: file.bytes,
      sha256: file.sha256,
    })),
  })
}

/**
 * Sends a table as Parquet, whole or by ranges. Its strong ETag is its digest, so that a reader of ranges notices
 * when a day has passed; the file of a release never changes.
 */
export function sendTable(
  request: FastifyRequest<{ Params: TableParams }>,
  reply: FastifyReply,
  { reader }: Source,
) {
  const { file: name = '', day } = request.params
  const table = FILE.exec(name)?.[1]
  const files = day === undefined ? listLatestFiles(reader) : listDataFiles(reader)
  const found = files.find(file => file.table === table && (day === undefined || file.day === day))
  if (found === undefined)
    throw files.length === 0
      ? buildAbsence()
      : new PublicError('not_found', `the tables are those of ${LATEST_MANIFEST}`)
  assertUntouched(reader, found)
  const { sha256, path } = found
  reply.header('etag', `"${sha256}"`)
  reply.header('cache-control', day === undefined ? 'public, no-cache' : FOR_A_DAY)
  if (isUnchanged(request.headers, { etag: sha256 })) return reply.code(304).send()
  keepRange(request, `"${sha256}"`)
  const { parquet } = reader.paths
  const options = { cacheControl: false, etag: false, lastModified: false, contentType: false }
  return reply.type(PARQUET).sendFile(path, parquet, options)
}

/** A take-down makes the release of a day anew, so caches keep it only for one. */
const FOR_A_DAY = 'public, max-age=86400, immutable'

/** Applies `If-Range`: a range of another content is answered with the whole file. */
function keepRange({ raw: { headers } }: FastifyRequest, etag: string): void {
  const known = headers['if-range']
  delete headers['if-range']
  if (known !== undefined && known !== etag) delete headers.range
}

function buildAbsence(): PublicError {
  return new PublicError('not_found', 'the data set is not published yet; it is once a day')
}
