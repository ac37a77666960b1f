import { hash } from 'node:crypto'
import type { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import { ANY_KEY } from '../../pipeline/core/surrogate-keys.ts'
import { toCallerKey } from '../operation/answering.ts'
import { defineOperation, type Operation } from '../operation/operation.ts'
import { drawPicture } from '../pictures/draw.ts'
import { isUnchanged } from '../responses/freshness.ts'
import { createAsk } from './ask.ts'
import type { View, ViewCall } from './view.ts'

const PNG = 'image/png'
const ETAG_CHARS = 22
/** Headers of a picture that is shown until the page's own is drawn. */
const temporaryHeaders = { 'cache-control': 'no-store' }

interface Pictured<Query extends z.ZodType, Params extends z.ZodType> {
  id: string
  /** Path of the page; that of its picture is below. */
  path: string
  summary: string
  kind: string
  query?: Query
  params?: Params
  load(): Promise<{ show(call: ViewCall<z.output<Query>, z.output<Params>>): Promise<View> }>
}

/**
 * Declares the picture that is shown where a page is shared: its title and description, or that of the registry
 * until they are drawn.
 */
export function definePicture<
  Query extends z.ZodType = z.ZodUndefined,
  Params extends z.ZodType = z.ZodUndefined,
>({ kind, load, path, ...declared }: Pictured<Query, Params>): Operation {
  return defineOperation({
    ...declared,
    path: toPicturePath(path),
    method: 'GET',
    access: 'public',
    cache: 'revalidate',
    dependsOn: [ANY_KEY],
    queriesSnapshot: true,
    reply: { 200: { type: PNG } },
    errors: ['invalid_request', 'not_found', 'unavailable'],
    handle: async call => {
      const { show } = await load()
      const view = await show({ ...call, ask: createAsk(call) } as never)
      const { status = 200, title, description } = view
      if (status !== 200) return refuse('not_found', 'there is no such page')
      const host = new URL(call.services.baseUrl()).host
      const svg = drawPicture({ kind, title, description, host })
      const etag = hash('sha256', svg, 'base64url').slice(0, ETAG_CHARS)
      const sent = { status: 200, type: PNG, etag } as const
      const held = call.header('if-none-match')
      const isHeld = isUnchanged({ ...(held && { 'if-none-match': String(held) }) }, sent)
      // A 304 needs no picture.
      if (isHeld) return { ...sent, body: '' }
      const caller = toCallerKey({ ...call, principal: undefined })
      const { png, isOwn } = await call.services.pagePictures.find(svg, { caller, host })
      return isOwn
        ? { ...sent, body: png }
        : { status: 200, type: PNG, body: png, headers: temporaryHeaders }
    },
  })
}

/** Returns the path of a page's picture, which has the query of the page. */
export function toPicturePath(path: string): string {
  const [page, query] = path.split('?', 2)
  return `${page}/picture.png${query === undefined ? '' : `?${query}`}`
}
