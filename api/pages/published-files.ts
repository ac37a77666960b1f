import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MINUTE } from '../../pipeline/core/clock.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import { projectRoot } from '../../pipeline/core/project-root.ts'
import { resolvePublishFolder } from '../../pipeline/core/publish-target.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { FILE_NAME, FILES, MANIFEST } from '../../pipeline/replica/manifest.ts'
import { HEAD, KEY, TILE_NAME } from '../../pipeline/transparency/tile-names.ts'
import { buildAddressLimit } from '../limits/per-address.ts'
import { anyOrigin, exposed } from '../operation/cross-origin.ts'
import type { Services } from '../operation/services.ts'
import type { RoutePath } from '../operation/unknown-routes.ts'
import { sendCroissant } from './data-files/croissant.ts'
import {
  CROISSANT_PATH,
  changesPaths,
  dataPaths,
  manifestPaths,
  sendChanges,
  sendManifest,
  sendTable,
  type TableParams,
  tablePaths,
} from './data-files/data-routes.ts'
import { browserPolicy } from './headers.ts'

const programsFolder = join(projectRoot, 'dist-browser')
const SNAPSHOT = /^\d{6,}\.duckdb$/
const PROGRAM = /^[\w.-]+\.(?:js|wasm)$/

const latestPath = '/data/registry.duckdb'
const snapshotPath = (file: string) => `/data/snapshots/${file}`
const manifestPath = `/data/${MANIFEST}`
const filePath = (file: string) => `/data/${FILES}/${file}`
const logPath = (file: string) => `/log/${file}`
const programPath = (file: string) => `/assets/browser/${file}`

export const publishedPaths: readonly RoutePath[] = [
  latestPath,
  snapshotPath(':file'),
  manifestPath,
  filePath(':file'),
  logPath(HEAD),
  logPath(KEY),
  logPath('tile/*'),
  programPath(':file'),
  ...dataPaths,
].map(path => ({ method: 'GET', path }))

/** Finds the path of the snapshot that was published last; undefined before the first. */
export function findPublishedSnapshot({ snapshotFile, paths }: Reader): string | undefined {
  if (snapshotFile === undefined || !existsSync(join(paths.snapshots, snapshotFile)))
    return undefined
  return snapshotPath(snapshotFile)
}

/** Finds the size of the latest snapshot in bytes; undefined before there is one. */
export function findSnapshotSize({ snapshotFile, paths }: Reader): number | undefined {
  if (snapshotFile === undefined) return undefined
  return statSync(join(paths.snapshots, snapshotFile), { throwIfNoEntry: false })?.size
}

/** Returns the address of a program that runs in browsers; undefined where it was not built. */
export function findProgram(source: string): string | undefined {
  const manifest = join(programsFolder, 'manifest.json')
  if (!existsSync(manifest)) return undefined
  const built = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, { file: string }>
  return built[source] && programPath(built[source].file)
}

/**
 * Serves files as they are, by ranges and with an ETag: snapshots, files for replicas, and programs for
 * browsers, and the log of events below `/log/`. The name of each says what is in it, so they are cached for ever; `/data/registry.duckdb` leads to
 * the latest snapshot, `/data/manifest.json` names the files for replicas.
 */
export function addPublishedFiles(app: FastifyInstance, services: Services): void {
  const { config, reader } = services
  app.register(async scope => {
    const { snapshots, log } = reader.paths
    await scope.register(fastifyStatic, { root: snapshots, serve: false, preCompressed: true })
    const perMinute = config.LIMITS.fileRequestsPerMinute
    const rateLimit = buildAddressLimit(perMinute, MINUTE)
    type Handler = (
      file: string,
      reply: FastifyReply,
      request: FastifyRequest<{ Params: TableParams }>,
    ) => FastifyReply | Promise<FastifyReply>
    const route = (url: string, handler: Handler) =>
      scope.route<{ Params: TableParams & { '*'?: string } }>({
        method: ['GET', 'HEAD'],
        exposeHeadRoute: false,
        url,
        config: { operation: 'publishedFile', rateLimit },
        handler: (request, reply) => {
          // Caches answer scripts of other origins too, whoever asked first.
          reply.headers({ ...anyOrigin, ...exposed })
          return handler(request.params.file ?? request.params['*'] ?? '', reply, request)
        },
      })
    route(latestPath, (_, reply) => {
      const found = findPublishedSnapshot(reader)
      if (found === undefined)
        throw new PublicError('not_found', 'no snapshot has been published yet')
      return reply.header('cache-control', 'no-store').redirect(found)
    })
    route(snapshotPath(':file'), (file, reply) => {
      if (!SNAPSHOT.test(file) || !existsSync(join(snapshots, file)))
        throw new PublicError('not_found', `only the latest snapshots are kept: see ${latestPath}`)
      return reply.type('application/vnd.duckdb').sendFile(file, snapshots, forEver)
    })
    route(CROISSANT_PATH, (_, reply) => sendCroissant(reply, services))
    for (const path of manifestPaths)
      route(path, (_, reply, request) => sendManifest(request, reply, services))
    for (const path of changesPaths)
      route(path, (_, reply, request) => sendChanges(request, reply, services))
    for (const path of tablePaths)
      route(path, (_, reply, request) => sendTable(request, reply, services))
    route(manifestPath, (_, reply) => {
      const folder = findStateFolder(config)
      if (folder === undefined || !existsSync(join(folder, MANIFEST)))
        throw new PublicError('not_found', 'this registry publishes nothing for replicas')
      return reply.sendFile(MANIFEST, folder, { cacheControl: false, immutable: false })
    })
    route(filePath(':file'), (file, reply) => {
      const folder = findStateFolder(config)
      const files = folder && join(folder, FILES)
      if (files === undefined || !FILE_NAME.test(file) || !existsSync(join(files, file)))
        throw new PublicError('not_found', `the published files are those of ${manifestPath}`)
      return reply.type('application/octet-stream').sendFile(file, files, forEver)
    })
    for (const name of [HEAD, KEY])
      route(logPath(name), (_, reply) => {
        if (!existsSync(join(log, name)))
          throw new PublicError('not_found', 'this registry has no event log yet')
        return reply
          .headers({ 'cache-control': 'public, no-cache' })
          .type('text/plain; charset=utf-8')
          .send(readFileSync(join(log, name)))
      })
    route(logPath('tile/*'), (file, reply) => {
      const name = `tile/${file}`
      if (!TILE_NAME.test(name) || !existsSync(join(log, name)))
        throw new PublicError('not_found', `the log has no such tile: see ${logPath(HEAD)}`)
      // Entries are erased where their events are taken down.
      const caching = name.startsWith('tile/entries/') ? forAMinute : forEver
      return reply.type('application/octet-stream').sendFile(name, log, caching)
    })
    route(programPath(':file'), (file, reply) => {
      if (!PROGRAM.test(file) || !existsSync(join(programsFolder, file)))
        throw new PublicError('not_found', 'there is no such file')
      // A worker keeps to the policy of its own file.
      return reply.headers(browserPolicy).sendFile(file, programsFolder, forEver)
    })
  })
}

/** Returns the folder of the files for replicas. */
function findStateFolder(config: Services['config']): string | undefined {
  return resolvePublishFolder(config.PUBLISH_TO, config.DATA_DIR)
}

const forAMinute = { immutable: false, maxAge: '1m' }
const forEver = { immutable: true, maxAge: '365d' }
