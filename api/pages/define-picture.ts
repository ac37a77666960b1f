import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import { declareCache } from '../../pipeline/read/cache/caches.ts'
import { toTaskOrigin } from '../operation/answering.ts'
import { type Call, defineOperation, type Operation } from '../operation/operation.ts'
import { createAsk } from './ask.ts'
import { drawPicture, HEIGHT, WIDTH } from './pictures/draw.ts'
import type { View, ViewCall } from './view.ts'

const PNG = 'image/png'
const PICTURES_BYTES = 16 * 1024 * 1024
/** Bytes that drawing takes on a thread: a picture is never drawn where requests are answered. */
const PIXEL_BYTES = WIDTH * HEIGHT * 4
const ETAG_CHARS = 22

/** Pictures by their SVG, so that a picture is drawn again only when the text on it changes. */
const pictures = declareCache(
  () => new LRUCache<string, Buffer>({ maxSize: PICTURES_BYTES, sizeCalculation: toSize }),
)

function toSize(picture: Buffer, svg: string): number {
  return picture.length + 2 * svg.length
}

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
 * Declares the picture that is shown where a page is shared: its title and description, drawn on a thread,
 * where callers take turns.
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
      return { status: 200, body: await findPicture(call, svg), type: PNG, etag }
    },
  })
}

/** Returns the path of a page's picture, which has the query of the page. */
export function toPicturePath(path: string): string {
  const [page, query] = path.split('?', 2)
  return `${page}/picture.png${query === undefined ? '' : `?${query}`}`
}

async function findPicture(
  call: Call<unknown, unknown, unknown, 'public'>,
  svg: string,
): Promise<Buffer> {
  const known = pictures(call.services)
  const drawn = known.get(svg)
  if (drawn !== undefined) return drawn
  const origin = { ...toTaskOrigin({ ...call, principal: undefined }), bytes: PIXEL_BYTES }
  const picture = Buffer.from(await call.services.workers.run('toPng', origin, svg))
  known.set(svg, picture)
  return picture
}
