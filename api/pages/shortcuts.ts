import { z } from 'zod'
import { PastedDomain } from '../inputs/fields.ts'
import { TypedAgentUrl } from '../inputs/sale.ts'
import { defineOperation, type Operation } from '../operation/operation.ts'
import { toGuidePath } from './guides.ts'
import { HTML, pageHeaders } from './headers.ts'
import { toAgentPath, toBrandPath, toPublisherPath } from './parts/paths.ts'

interface Declared<Params extends z.ZodType> {
  id: string
  path: string
  summary: string
  params?: Params
  /** Builds the path of the page; it begins with that of a page of ours, whatever was sent. */
  toPath(params: z.output<Params>): string
}

/** Declares an address that people guess: it leads by a 301 to the page that they meant. */
function defineShortcut<Params extends z.ZodType = z.ZodUndefined>({
  toPath,
  ...declared
}: Declared<Params>): Operation {
  return defineOperation({
    ...declared,
    method: 'GET',
    access: 'public',
    cache: 'none',
    worksWithoutStores: true,
    isPage: true,
    reply: { 301: { type: HTML } },
    errors: declared.params === undefined ? [] : ['invalid_request'],
    handle: ({ params }) => {
      const headers = { ...pageHeaders, location: toPath(params as z.output<Params>) }
      return { status: 301, body: '', type: HTML, headers }
    },
  })
}

const ofDomain = z.object({ domain: PastedDomain })

export const shortcuts: readonly Operation[] = [
  defineShortcut({
    id: 'guidesShortcut',
    path: '/guides',
    summary: 'Redirect a guessed URL to the guides',
    toPath: () => '/docs/guides',
  }),
  defineShortcut({
    id: 'guideShortcut',
    path: '/docs/:name',
    summary: 'Redirect a guessed URL to a guide',
    params: z.object({ name: z.string().max(100) }),
    toPath: ({ name }) => toGuidePath(encodeURIComponent(name)),
  }),
  defineShortcut({
    id: 'brandShortcut',
    path: '/brands/:domain',
    summary: 'Redirect a guessed URL to the page of a brand',
    params: ofDomain,
    toPath: ({ domain }) => toBrandPath(domain),
  }),
  defineShortcut({
    id: 'publisherShortcut',
    path: '/publishers/:domain',
    summary: 'Redirect a guessed URL to the page of a publisher',
    params: ofDomain,
    toPath: ({ domain }) => toPublisherPath(domain),
  }),
  defineShortcut({
    id: 'agentShortcut',
    path: '/agents/:url',
    summary: 'Redirect a guessed URL to the page of an agent',
    params: z.object({ url: TypedAgentUrl }),
    toPath: ({ url }) => toAgentPath(url),
  }),
]
