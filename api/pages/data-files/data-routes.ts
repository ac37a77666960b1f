import type { FastifyReply, FastifyRequest } from 'fastify'
import { countThings } from '../../../pipeline/core/counts.ts'
import { PublicError } from '../../../pipeline/core/errors.ts'
import {
  assertUntouched,
  type DataFile,
  listDays,
  listLatestFiles,
  listRelease,
  readDataSet,
} from '../../../pipeline/read/lookups/data-files.ts'
import type { Services } from '../../operation/services.ts'
import { isUnchanged } from '../../responses/freshness.ts'

export const PARQUET = 'application/vnd.apache.parquet'
const FILE = /^(?<table>[a-z_]+)(?:-(?<part>\d+))?\.parquet$/

export const LATEST = '/data/latest'
export const LATEST_MANIFEST = `${LATEST}/manifest.json`
const RELEASES = '/data/releases'
export const LATEST_CHANGES = `${LATEST}/changes.json`
/** Address of the description of the latest release, for programs. */
export const CROISSANT_PATH = '/data/croissant.json'
export const toManifestPath = (day: string) => `${RELEASES}/${day}/manifest.json`
/** Addresses of the manifest of a release, and of what it has changed. */
export const manifestPaths = [LATEST_MANIFEST, toManifestPath(':day')]
export const changesPaths = [LATEST_CHANGES, `${RELEASES}/:day/changes.json`]
export const tablePaths = [`${LATEST}/:file`, `${RELEASES}/:day/:file`]
export const dataPaths = [CROISSANT_PATH, ...manifestPaths, ...changesPaths, ...tablePaths]

export const toFileName = ({ table, part }: Pick<DataFile, 'table' | 'part'>) =>
  `${table}${part === undefined ? '' : `-${part}`}.parquet`
export const toLatestPath = (file: Pick<DataFile, 'table' | 'part'>) =>
  `${LATEST}/${toFileName(file)}`
export const toReleasePath = (file: DataFile) => `${RELEASES}/${file.day}/${toFileName(file)}`

export interface TableParams {
  file?: string
  day?: string
}
type Source = Pick<Services, 'reader' | 'config'>

type Request = FastifyRequest<{ Params: TableParams }>

/** Finds the files of the release that a request names; those of the latest where it names none. */
function findRelease({ params: { day } }: Request, { reader }: Source): DataFile[] {
  const files = day === undefined ? listLatestFiles(reader) : listRelease(reader, day)
  if (files.length > 0) return files
  throw day === undefined || listDays(reader).length === 0
    ? buildAbsence()
    : new PublicError(
        'not_found',
        `there is no such release: ${LATEST_MANIFEST} lists those that are kept`,
      )
}

const toCaching = ({ params: { day } }: Request) =>
  day === undefined ? 'public, no-cache' : FOR_A_DAY

/** Sends the manifest of a release: its tables, with sizes, rows, digests and the commit they show, and all releases that are kept. */
export function sendManifest(request: Request, reply: FastifyReply, source: Source) {
  const { reader, config } = source
  const files = findRelease(request, source)
  const { day } = request.params
  // All tables of a release show one commit.
  const [{ day: shown = '', seq, as_of } = {}] = files
  return reply.headers({ 'cache-control': toCaching(request) }).send({
    day: shown,
    seq,
    as_of,
    schema_version: readDataSet(reader).versions[shown],
    ...(day === undefined && { releases: listDays(reader) }),
    license: config.DATA_LICENSE ?? null,
    tables: files.map(file => ({
      table: file.table,
      ...(file.part !== undefined && { part: file.part }),
      url: day === undefined ? toLatestPath(file) : toReleasePath(file),
      release_url: toReleasePath(file),
      rows: file.rows,
      bytes: file.bytes,
      sha256: file.sha256,
      seq: file.seq,
      as_of: file.as_of,
    })),
  })
}

/** Sends how many rows of each table a release has added, removed and changed since the one before; the first has none. */
export function sendChanges(request: Request, reply: FastifyReply, source: Source) {
  const day = findRelease(request, source)[0]?.day ?? ''
  const tables = readDataSet(source.reader).changes[day] ?? []
  const since = tables[0]?.since ?? null
  return reply.headers({ 'cache-control': toCaching(request) }).send({ day, since, tables })
}

/**
 * Sends a table as Parquet, whole or by ranges. Its strong ETag is its digest, so that a reader of ranges notices
 * when a day has passed; the file of a release never changes.
 */
export function sendTable(request: Request, reply: FastifyReply, source: Source) {
  const { reader } = source
  const { table, part } = FILE.exec(request.params.file ?? '')?.groups ?? {}
  const files = findRelease(request, source).filter(file => file.table === table)
  const found = files.find(file => String(file.part) === String(part))
  if (found === undefined)
    throw new PublicError(
      'not_found',
      files.length > 0
        ? `${table} is in ${countThings(files.length, 'part')}, from ${table}-0.parquet on`
        : `there is no such table: ${LATEST_MANIFEST} lists them; views such as supply_path are only in /data/registry.duckdb`,
    )
  assertUntouched(reader, found)
  const { sha256, path } = found
  reply.header('etag', `"${sha256}"`)
  reply.header('cache-control', toCaching(request))
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

/** Builds the refusal before the first release. */
export function buildAbsence(): PublicError {
  return new PublicError(
    'not_found',
    'the data set has not been published yet; it is published once a day',
  )
}
