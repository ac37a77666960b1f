import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { MINUTE } from '../../pipeline/core/clock.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import { projectRoot } from '../../pipeline/core/project-root.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { buildAddressLimit } from '../limits/per-address.ts'
import { anyOrigin, buildExposedHeaders } from '../operation/cross-origin.ts'
import type { Services } from '../operation/services.ts'
import type { RoutePath } from '../operation/unknown-routes.ts'
import { browserPolicy } from './headers.ts'

const programsFolder = join(projectRoot, 'dist-browser')
const SNAPSHOT = /^\d{6,}\.duckdb$/
const PROGRAM = /^[\w.-]+\.(?:js|wasm)$/

const latestPath = '/data/registry.duckdb'
const snapshotPath = (file: string) => `/data/snapshots/${file}`
const programPath = (file: string) => `/assets/browser/${file}`

export const publishedPaths: readonly RoutePath[] = [
  latestPath,
  snapshotPath(':file'),
  programPath(':file'),
].map(path => ({ method: 'GET', path }))

/** The snapshot that was published last: where it is read, and its size. */
export interface PublishedSnapshot {
  path: string
  bytes: number
}

/** Finds the current snapshot; undefined before the first. */
export function findPublishedSnapshot({
  snapshotFile,
  paths,
}: Reader): PublishedSnapshot | undefined {
  if (snapshotFile === undefined) return undefined
  const stats = statSync(join(paths.snapshots, snapshotFile), { throwIfNoEntry: false })
  return stats && { path: snapshotPath(snapshotFile), bytes: stats.size }
}

/** Returns the address of a program that runs in browsers; undefined where it was not built. */
export function findProgram(source: string): string | undefined {
  const manifest = join(programsFolder, 'manifest.json')
  if (!existsSync(manifest)) return undefined
  const built = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, { file: string }>
  return built[source] && programPath(built[source].file)
}

/**
 * Serves files as they are, by ranges and with an ETag: snapshots, and programs for browsers. The name of
 * each says what is in it, so they are cached for ever; `/data/registry.duckdb` leads to the latest
 * snapshot.
 */
export function addPublishedFiles(app: FastifyInstance, { config, reader }: Services): void {
  app.register(async scope => {
    const { snapshots } = reader.paths
    await scope.register(fastifyStatic, { root: snapshots, serve: false, preCompressed: true })
    const perMinute = config.LIMITS.fileRequestsPerMinute
    const rateLimit = buildAddressLimit(perMinute, MINUTE)
    const route = (url: string, handler: (file: string, reply: FastifyReply) => FastifyReply) =>
      scope.route<{ Params: { file?: string } }>({
        method: ['GET', 'HEAD'],
        exposeHeadRoute: false,
        url,
        config: { operation: 'publishedFile', rateLimit },
        handler: (request, reply) => {
          reply.headers({ ...anyOrigin, ...buildExposedHeaders(request) })
          return handler(request.params.file ?? '', reply)
        },
      })
    route(latestPath, (_, reply) => {
      const found = findPublishedSnapshot(reader)
      if (found === undefined) throw new PublicError('not_found', 'no snapshot was published yet')
      return reply.header('cache-control', 'no-store').redirect(found.path)
    })
    route(snapshotPath(':file'), (file, reply) => {
      if (!SNAPSHOT.test(file) || !existsSync(join(snapshots, file)))
        throw new PublicError('not_found', `only the latest snapshots are kept: see ${latestPath}`)
      return reply.type('application/vnd.duckdb').sendFile(file, snapshots, forEver)
    })
    route(programPath(':file'), (file, reply) => {
      if (!PROGRAM.test(file) || !existsSync(join(programsFolder, file)))
        throw new PublicError('not_found', 'there is no such file')
      // A worker keeps to the policy of its own file.
      return reply.headers(browserPolicy).sendFile(file, programsFolder, forEver)
    })
  })
}

const forEver = { immutable: true, maxAge: '365d' }
