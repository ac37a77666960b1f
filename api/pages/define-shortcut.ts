import type { z } from 'zod'
import { defineOperation, type Operation } from '../operation/operation.ts'
import { HTML, pageHeaders } from './headers.ts'

interface Declared<Params extends z.ZodType> {
  id: string
  path: string
  summary: string
  params?: Params
  /** Builds the path of the page; it begins with that of a page of ours, whatever was sent. */
  toPath(params: z.output<Params>): string
}

/** Declares an address that people guess: it leads by a 301 to the page that they meant. */
export function defineShortcut<Params extends z.ZodType = z.ZodUndefined>({
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
