import { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import { isModerator } from '../../pipeline/core/roles.ts'
import { findMirror } from '../../pipeline/index/points/mirrors.ts'
import { listMirrors } from '../../pipeline/index/queries/mirrors.ts'
import {
  Mirror,
  MirrorList,
  MirrorProposed,
  MirrorPublished,
  MirrorRemoved,
} from '../../pipeline/model/answers-mirrors.ts'
import { Platform } from '../../pipeline/model/mirror.ts'
import { submitOnce } from '../attempt.ts'
import { whole } from '../fields.ts'
import { seqHeader } from '../lists.ts'
import { itemsOf, readMirror } from '../mirror-file.ts'
import { operation } from '../operation.ts'
import { ok, refused } from '../reply.ts'
import { editorOf } from './saves.ts'

const PAGE = 100
const LARGEST_PAGE = 500
const params = z.object({ platform: Platform })
const list = z.array(z.unknown()).optional()

export const listCommunityMirrors = operation({
  id: 'listMirrors',
  method: 'GET',
  path: '/api/registry/mirrors',
  group: 'Community Mirrors',
  summary: 'List platforms that a file is kept for',
  access: 'public',
  cache: 'list',
  query: z.object({
    limit: whole({ min: 0, max: LARGEST_PAGE, default: PAGE, clamp: true }),
    offset: whole({ min: 0, max: 1e9, default: 0 }),
  }),
  reply: { 200: MirrorList },
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query: { limit, offset }, services: { reader } }) => {
    const { snapshot } = reader
    const page = { limit: Math.max(1, limit), offset }
    const found = snapshot ? await listMirrors(snapshot, page) : { mirrors: [], total: 0 }
    return ok(found, seqHeader(snapshot))
  },
})

export const readCommunityMirror = operation({
  id: 'getMirror',
  method: 'GET',
  path: '/api/registry/mirrors/:platform',
  group: 'Community Mirrors',
  summary: 'The file that is kept for a platform',
  description: 'It describes what a platform offers and authorizes nobody to sell it.',
  access: 'public',
  cache: 'revalidate',
  params,
  reply: { 200: Mirror },
  errors: ['invalid_request', 'not_found'],
  handle: ({ params: { platform }, services: { reader } }) => {
    const found = findMirror(reader, platform)
    if (found) {
      const { digest: etag, publisher_domains: _, ...mirror } = found
      return { status: 200, body: mirror, etag: `${etag}-${Date.parse(mirror.updated_at)}` }
    }
    return refused('not_found', `there is no mirror of ${platform}`, { platform })
  },
})

export const putCommunityMirror = operation({
  id: 'putMirror',
  method: 'PUT',
  path: '/api/registry/mirrors/:platform',
  group: 'Community Mirrors',
  summary: 'Publish a file for a platform, or propose it',
  description:
    'A moderator publishes; of anybody else it is a proposal, which waits for a moderator. What is ' +
    'proposed again before that replaces the organization’s own proposal. The file is a catalog: ' +
    'whatever it says of agents is dropped.',
  access: 'bearer',
  writes: true,
  once: true,
  cache: 'none',
  params,
  body: z.looseObject({
    catalog_etag: z.string().min(1).max(255).optional(),
    superseded_by: z
      .url({ protocol: /^https$/ })
      .max(2_000)
      .optional(),
    ...{ formats: list, properties: list, placements: list, collections: list, signals: list },
  }),
  reply: { 200: MirrorPublished, 202: MirrorProposed },
  errors: [
    ...(['invalid_request', 'forbidden', 'conflict', 'unavailable'] as const),
    ...(['too_large', 'unsupported_media_type'] as const),
  ],
  handle: async ({ params: { platform }, body, principal, attempt, services }) => {
    const { clock, config } = services
    const editor = editorOf(principal)
    if (isModerator(principal.roles)) {
      const content = readMirror(body, clock.now())
      const operation = { op: 'mirror.publish', platform, content, editor } as const
      return ok({ success: true, ...(await submitOnce(services, attempt, operation, {})) })
    }
    const { org_id } = editor
    if (org_id === null) return refuse('forbidden', 'only an organization proposes mirrors')
    const most = config.LIMITS.mirrorItems
    if (itemsOf(body) > most) refuse('too_large', `a proposal has at most ${most} items`)
    const content = readMirror(body, clock.now())
    const operation = { op: 'mirror.propose', platform, content, review_id: attempt } as const
    const proposer = { editor: { ...editor, org_id } }
    const done = await submitOnce(services, attempt, { ...operation, ...proposer }, {})
    const place = `/api/registry/mirror-proposals/${done.proposal_id}`
    return {
      status: 202,
      body: {
        ...{ success: true, status: 'pending', ...done },
        status_url: services.baseUrl() + place,
      },
      headers: { location: place },
    }
  },
})

export const deleteCommunityMirror = operation({
  id: 'deleteMirror',
  method: 'DELETE',
  path: '/api/registry/mirrors/:platform',
  group: 'Community Mirrors',
  summary: 'Serve a file no longer',
  description: 'For moderators. One that nothing supersedes is removed with `force=true` only.',
  access: 'bearer',
  writes: true,
  cache: 'none',
  params,
  query: z.object({ force: z.enum(['true', 'false']).optional() }),
  reply: { 200: MirrorRemoved },
  errors: ['invalid_request', 'forbidden', 'not_found', 'conflict', 'unavailable'],
  handle: async ({ params: { platform }, query: { force }, principal, services }) => {
    if (!isModerator(principal.roles)) refuse('forbidden', 'only a moderator removes mirrors')
    const answer = await services.desk.submit({
      ...{ op: 'mirror.remove', platform, force: force === 'true' },
    })
    if ('refused' in answer) {
      return refused(answer.error ?? 'invalid_request', answer.refused, { platform })
    }
    return ok({ success: true, platform })
  },
})
