import { z } from 'zod'
import { refuse } from '../../../pipeline/core/errors.ts'
import { isModerator } from '../../../pipeline/core/roles.ts'
import { MIRRORS_KEY } from '../../../pipeline/core/surrogate-keys.ts'
import { Platform } from '../../../pipeline/model/mirror.ts'
import {
  Mirror,
  MirrorList,
  MirrorProposed,
  MirrorPublished,
  MirrorRemoved,
} from '../../../pipeline/model/responses/mirrors.ts'
import { findMirror } from '../../../pipeline/read/lookups/records.ts'
import { listMirrors } from '../../../pipeline/read/queries/mirrors.ts'
import { toEditor } from '../../auth/editor.ts'
import { createPageSize, pageCursor, pageOffset } from '../../inputs/fields.ts'
import { countItems } from '../../inputs/mirror-file.ts'
import { toTaskOrigin } from '../../operation/answering.ts'
import { submitIdempotent } from '../../operation/idempotency.ts'
import { defineOperation } from '../../operation/operation.ts'
import { buildPageEnd, buildSeqHeader, getSnapshot } from '../../responses/lists.ts'
import { replyOk, replyRefused } from '../../responses/reply.ts'
import { writeErrors } from '../write-errors.ts'

const PAGE_ROWS_DEFAULT = 100
const PAGE_ROWS_MAX = 500
const params = z.object({
  platform: Platform.describe('Platform whose catalog is mirrored, such as `youtube`'),
})
const list = z.array(z.unknown()).optional()
const part = (what: string) => list.describe(`The platform’s ${what}, as in an adagents.json`)

export const listCommunityMirrors = defineOperation({
  id: 'listMirrors',
  method: 'GET',
  path: '/api/registry/mirrors',
  group: 'Community Mirrors',
  summary: 'List the platforms that have a mirror',
  access: 'public',
  cache: 'list',
  queriesSnapshot: true,
  cacheKey: () => '',
  query: z.object({
    limit: createPageSize({ defaultSize: PAGE_ROWS_DEFAULT, max: PAGE_ROWS_MAX }),
    offset: pageOffset,
    cursor: pageCursor,
  }),
  reply: { 200: MirrorList },
  responseHeaders: ['X-Registry-Seq'],
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query: { limit, cursor, ...query }, services: { reader } }) => {
    const snapshot = getSnapshot(reader)
    const offset = cursor === undefined ? query.offset : Number(cursor)
    const page = { limit, offset }
    const found = snapshot ? await listMirrors(snapshot, page) : { mirrors: [], total: 0 }
    const end = buildPageEnd(offset, found.mirrors.length, found.total)
    return replyOk({ ...found, ...end }, buildSeqHeader(snapshot))
  },
})

export const readCommunityMirror = defineOperation({
  id: 'getMirror',
  method: 'GET',
  path: '/api/registry/mirrors/:platform',
  group: 'Community Mirrors',
  summary: 'Get a platform’s mirror',
  description: 'A mirror describes what a platform offers and authorizes nobody to sell it.',
  access: 'public',
  cache: 'revalidate',
  dependsOn: [MIRRORS_KEY],
  params,
  reply: { 200: Mirror },
  responseHeaders: ['ETag'],
  errors: ['invalid_request', 'not_found'],
  handle: ({ params: { platform }, services: { reader } }) => {
    const found = findMirror(reader, platform)
    if (found) {
      const { digest: etag, publisher_domains: _, ...mirror } = found
      return { status: 200, body: mirror, etag: `${etag}-${Date.parse(mirror.updated_at)}` }
    }
    return replyRefused('not_found', `there is no mirror of "${platform}"`, { platform })
  },
})

export const putCommunityMirror = defineOperation({
  id: 'putMirror',
  method: 'PUT',
  path: '/api/registry/mirrors/:platform',
  group: 'Community Mirrors',
  summary: 'Publish a platform’s mirror, or propose one',
  description:
    'Moderators publish at once; anyone else submits a proposal for review. A later ' +
    'proposal replaces the organization’s pending one. The file is a catalog: ' +
    'its statements about agents are dropped. At least one list must not be empty.',
  access: 'bearer',
  writes: true,
  isIdempotent: true,
  cache: 'none',
  isExpensive: true,
  params,
  body: z.looseObject({
    catalog_etag: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe('Version of the catalog, as named by its editors'),
    superseded_by: z
      .url({ protocol: /^https$/ })
      .max(2_000)
      .optional()
      .describe('URL of the file that supersedes the mirror, if there is one'),
    formats: part('formats'),
    properties: part('properties'),
    placements: part('placements'),
    collections: part('collections'),
    signals: part('signals'),
  }),
  reply: { 200: MirrorPublished, 202: MirrorProposed },
  responseHeaders: ['Location'],
  errors: [...writeErrors, 'conflict', 'rate_limited'] as const,
  handle: async ({ params: { platform }, body, principal, submissionId, services, ...call }) => {
    const { clock, config, workers } = services
    const read = () =>
      workers.run('readMirror', toTaskOrigin({ ...call, principal }), body, clock.now())
    const editor = toEditor(principal)
    if (isModerator(principal.roles)) {
      const content = await read()
      const operation = { op: 'mirror.publish', platform, content, editor } as const
      return replyOk({
        success: true,
        ...(await submitIdempotent(services, submissionId, operation, {})),
      })
    }
    const { org_id } = editor
    if (org_id === null) return refuse('forbidden', 'only organizations may propose mirrors')
    const limit = config.LIMITS.mirrorItems
    if (countItems(body) > limit) refuse('too_large', `a proposal has at most ${limit} items`)
    const content = await read()
    const operation = { op: 'mirror.propose', platform, content, review_id: submissionId } as const
    const proposer = { editor: { ...editor, org_id } }
    const done = await submitIdempotent(services, submissionId, { ...operation, ...proposer }, {})
    const place = `/api/registry/mirror-proposals/${done.proposal_id}`
    return {
      status: 202,
      body: {
        success: true,
        status: 'pending',
        ...done,
        status_url: services.baseUrl() + place,
      },
      headers: { location: place },
    }
  },
})

export const deleteCommunityMirror = defineOperation({
  id: 'deleteMirror',
  method: 'DELETE',
  path: '/api/registry/mirrors/:platform',
  group: 'Community Mirrors',
  summary: 'Remove a platform’s mirror',
  description:
    'For moderators. A mirror that has not been superseded is removed only with `force=true`.',
  access: 'bearer',
  writes: true,
  cache: 'none',
  params,
  query: z.object({
    force: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true` removes a mirror that has not been superseded'),
  }),
  reply: { 200: MirrorRemoved },
  errors: ['invalid_request', 'forbidden', 'not_found', 'conflict', 'unavailable'],
  handle: async ({ params: { platform }, query: { force }, principal, services }) => {
    if (!isModerator(principal.roles)) refuse('forbidden', 'only moderators may remove mirrors')
    const answer = await services.writer.submit({
      op: 'mirror.remove',
      platform,
      force: force === 'true',
    })
    if ('refused' in answer) {
      return replyRefused(answer.error ?? 'invalid_request', answer.refused, { platform })
    }
    return replyOk({ success: true, platform })
  },
})
