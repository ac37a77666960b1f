import type { Storyboard } from '../model/storyboards/storyboard.ts'

/** A webhook as it arrived; the body is Base64, since a signature covers bytes. */
export interface Delivery {
  url: string
  headers: Record<string, string | string[] | undefined>
  body: string
  /** Status that it was answered with. */
  status: number
}

/** Receives the webhooks of one run, each step at an address of its own, until it is closed. */
export interface WebhookInbox {
  toUrl(step: string): string
  list(step: string): Promise<Delivery[]>
  close(): Promise<void>
}

/** Status of the first answers at the address of a step, after which webhooks are accepted. */
export type Refusals = ReadonlyMap<string, { count: number; status: number }>

export type OpenInbox = (refusals: Refusals) => Promise<WebhookInbox>

/** Bounds of what an agent may post during a run. */
export const inboxBounds = { deliveries: 40, bytes: 64 * 1024, seconds: 300 } as const

/** Name of a step’s place, as it stands in requests of storyboards. */
export const RECEIVER = /\{\{runner\.webhook_url:([\w-]+)\}\}/g

/** Tells whether a storyboard posts webhooks to the runner. */
export function needsInbox({ phases }: Storyboard): boolean {
  return phases.some(({ steps }) =>
    steps.some(({ sample_request }) => JSON.stringify(sample_request).search(RECEIVER) >= 0),
  )
}

/** Lists the steps whose first webhooks are refused, so that the agent sends them again. */
export function listRefusals({ phases }: Storyboard): Refusals {
  return new Map(
    phases.flatMap(({ steps }) =>
      steps.flatMap(({ triggered_by, retry_trigger }) =>
        triggered_by === undefined || retry_trigger === undefined
          ? []
          : [[triggered_by, { count: retry_trigger.count, status: retry_trigger.http_status }]],
      ),
    ),
  )
}
