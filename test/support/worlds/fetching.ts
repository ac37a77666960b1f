import type { ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import {
  createFetcher,
  type Fetcher,
  type FetcherOptions,
  type FetchOptions,
  type FetchResult,
} from '../../../pipeline/fetch/http.ts'
import { generousRates, generousTimeouts } from '../registry/generous-limits.ts'
import { type Answer, type Origin, serveOrigin } from '../servers/origin.ts'
import { testClock } from './clock.ts'

export const now = Date.parse('2026-11-20T03:00:00Z')
export const FILE_URL = 'https://acme.example/.well-known/brand.json'
export const fetchOptions: FetchOptions = {
  maxBytes: 100_000,
  redirects: 'same-site',
  maxRedirects: 3,
  deadlineMs: generousTimeouts.documentMs,
}

/** Closes a thing after the test, and returns it. */
export function closeAfterTest<Thing extends { close(): Promise<void> }>(thing: Thing): Thing {
  onTestFinished(() => thing.close())
  return thing
}

/** Creates a fetcher that connects to `connectTo` whatever the host. */
export function createFetcherTo(connectTo: string, options: Partial<FetcherOptions> = {}): Fetcher {
  return closeAfterTest(
    createFetcher({
      connectTo,
      hostConcurrency: 1,
      addressConcurrency: 64,
      contact: 'https://registry.example/crawler',
      limits: { ...generousTimeouts, ...generousRates },
      clock: testClock(now),
      ...options,
    }),
  )
}

export async function startOrigin(answer: Answer): Promise<Origin> {
  return closeAfterTest(await serveOrigin(answer))
}

export async function fetchFrom(
  answer: Answer,
  more: Partial<FetchOptions> = {},
  url = FILE_URL,
): Promise<FetchResult> {
  return createFetcherTo((await startOrigin(answer)).url).fetchDocument(url, {
    ...fetchOptions,
    ...more,
  })
}

export function toOutcome(got: FetchResult): string {
  return got.kind === 'failed' ? got.outcome : got.kind
}

/** Sends the same chunk for ever. */
export function writeEndlessly(response: ServerResponse, chunk: Buffer): void {
  const timer = setInterval(() => response.write(chunk), 1)
  response.once('close', () => clearInterval(timer))
}
