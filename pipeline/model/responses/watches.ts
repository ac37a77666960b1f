import { z } from 'zod'
import { watchKinds, watchPaces } from '../watch.ts'

export const WatchView = z
  .object({
    watch_id: z.uuid().describe('ID of the watch, for changing or deleting it'),
    kind: z.enum(watchKinds).describe('What is watched'),
    subject: z.string().describe('The watched domain, or the URL of the watched agent'),
    pace: z
      .enum(watchPaces)
      .describe('`at_once` for an email right away, `daily` for a daily digest'),
    email: z
      .string()
      .optional()
      .describe('Email address to which emails are sent; hidden from keys'),
    created_at: z.iso.datetime().describe('Time at which the watch started'),
  })
  .meta({ id: 'Watch', description: 'A domain, brand or agent that a person gets emails about' })
export type WatchView = z.infer<typeof WatchView>

export const Watches = z
  .object({
    watches: z.array(WatchView).describe('Everything you watch, oldest first'),
    most: z.int().describe('Maximum number of things that you can watch'),
  })
  .meta({ id: 'Watches', description: 'What a person watches' })
