import type { z } from 'zod'
import { ANY_KEY } from '../../pipeline/core/surrogate-keys.ts'
import { type Call, defineOperation, type Operation } from '../operation/operation.ts'
import type { Sent } from '../responses/reply.ts'
import { createAsk } from './ask.ts'
import { toPicturePath } from './define-picture.ts'
import { browserPolicy, HTML, pageHeaders } from './headers.ts'
import type { View, ViewCall } from './view.ts'

interface Declared<Query extends z.ZodType, Params extends z.ZodType> {
  id: string
  path: string
  summary: string
  query?: Query
  params?: Params
  /** It also answers while the registry is still empty. */
  worksWithoutStores?: true
  /**
   * It is of one thing, of which the serving store tells: it queries no snapshot, and has a picture
   * (`definePicture`), which is shown where the page is shared.
   */
  isOfThing?: true
  /** Answers clients that want JSON at the same address. */
  json?: Operation
  /** Loads the view; the code of a page is loaded when the page is first requested. */
  load(): Promise<{
    show(call: ViewCall<z.output<Query>, z.output<Params>>): Promise<View>
  }>
}

/**
 * Declares a page: an operation that answers with HTML. It has the limits, metrics and checks of any
 * other, and is kept as sent until a commit or a snapshot may have changed it, a minute at most.
 */
export function definePage<
  Query extends z.ZodType = z.ZodUndefined,
  Params extends z.ZodType = z.ZodUndefined,
>({ load, json, isOfThing, ...declared }: Declared<Query, Params>): Operation {
  // Even importing a loaded module costs as much as rendering a small page.
  const loadParts = loadOnce(() => Promise.all([load(), import('./parts/document.tsx')]))
  return defineOperation({
    ...declared,
    method: 'GET',
    access: 'public',
    cache: 'revalidate',
    dependsOn: [ANY_KEY],
    ...(!isOfThing && { queriesSnapshot: true }),
    isPage: true,
    cacheKey: ({ services: { reader }, header }) =>
      `${reader.serving?.seq ?? 0} ${json !== undefined && wantsJson(header('accept'))}`,
    reply: { 200: { type: HTML } },
    errors: ['invalid_request', 'not_found', 'unavailable'],
    handle: async call => {
      if (json !== undefined && wantsJson(call.header('accept')))
        return { ...(await json.handle(call)), headers: VARY_HEADER } as Sent
      const [{ show }, { renderDocument }] = await loadParts()
      const view = await show({ ...call, ask: createAsk(call) } as never)
      const path = toPath(declared, call)
      const picture = isOfThing && { picture: toPicturePath(path) }
      const document = renderDocument({ ...view, ...picture }, call.services, path)
      return replyPage(view, document, json === undefined ? {} : VARY_HEADER)
    },
  })
}

/** Remembers what was loaded; a failure is tried again. */
function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined
  return () => {
    loaded ??= load().catch(error => {
      loaded = undefined
      throw error
    })
    return loaded
  }
}

const VARY_HEADER = { vary: 'accept' }

function replyPage({ status = 200, program }: View, document: string, more: Sent['headers']): Sent {
  const headers = {
    ...pageHeaders,
    ...(program !== undefined && browserPolicy),
    ...more,
    ...(status !== 200 && { 'cache-control': 'no-store' }),
  }
  // Encoded once: its ETag, its size and every caller need the bytes.
  return { status, body: Buffer.from(document), type: HTML, headers }
}

/** Tells whether a client asks for JSON and not for a page. */
function wantsJson(accept: unknown): boolean {
  return typeof accept === 'string' && /\bjson\b/.test(accept) && !/\btext\/html\b/.test(accept)
}

/** Builds the canonical address of a page, in the registry's own spelling. */
function toPath(
  { path }: Pick<Operation, 'path'>,
  { query, params }: Pick<Call<unknown, unknown, unknown, 'public'>, 'query' | 'params'>,
): string {
  const named = (params ?? {}) as Record<string, string>
  const filled = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(named[name] ?? ''))
  const pairs = Object.entries((query ?? {}) as Record<string, unknown>).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [[name, value] as [string, string]] : [],
  )
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs)}`
}
