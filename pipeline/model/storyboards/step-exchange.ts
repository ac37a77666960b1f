import { z } from 'zod'

const text = z.string()

/** Places from which an answer was read. */
export const extractionPaths = ['structured_content', 'text_fallback', 'error', 'none'] as const

/** Request and answer of a step as they may be shown: shortened, and without secrets. */
export const StepExchange = z
  .object({
    request: z
      .object({
        url: text.describe('URL to which the request was sent'),
        operation: text.describe('Name of the tool that was called'),
        payload: z.unknown().describe('Arguments of the call'),
      })
      .describe('Request that the registry sent, without its credential'),
    response_record: z
      .object({
        status: z.int().describe('HTTP status of the endpoint, such as 200'),
        headers: z.record(text, z.unknown()).describe('Headers of the response, without secrets'),
        payload: z.unknown().describe('Result of the tool, or its error'),
      })
      .optional()
      .describe('The agent’s response; absent if there was none'),
    extraction: z
      .object({
        path: z
          .enum(extractionPaths)
          .describe(
            'Where the result was found: `structured_content`, `text_fallback` for a text that is JSON, `error` if the agent returned an error, or `none` if there was no response',
          ),
        note: text
          .optional()
          .describe('Human-readable note on anything unusual about the response'),
      })
      .describe('Where in the response the result was found'),
    error: z
      .unknown()
      .optional()
      .describe('Error that the agent returned; absent if there was none'),
  })
  .meta({
    id: 'StoryboardExchange',
    description: 'Request and response of a step, shortened and without secrets',
  })
export type StepExchange = z.infer<typeof StepExchange>
