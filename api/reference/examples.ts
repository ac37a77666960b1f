import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../pipeline/core/project-root.ts'

/** A request of an operation, as a client sends it. */
export interface ExampleRequest {
  /** Path and query. */
  url: string
  /** True if it is sent with a credential. */
  authorized?: true
  /** Headers besides the credential and the type of a JSON body. */
  headers?: Readonly<Record<string, string>>
  /** A JSON body. */
  body?: unknown
  /** A body that must be sent byte for byte. */
  text?: string
  /** The file of a form with one field, `file`. */
  file?: { name: string; type: string; content: string }
}

/** A request and what the registry answered. */
export interface Example {
  request: ExampleRequest
  status: number
  /** The answer, if it is JSON; as text if it is lines of JSON. */
  answer?: unknown
}

const FILE = join(projectRoot, 'data/reference/examples.json')

let examples: Readonly<Record<string, Example>> | undefined

/** Returns an example of each operation by its id; test/api/statuses.test.ts records them. */
export function readExamples(): Readonly<Record<string, Example>> {
  examples ??= JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Example>
  return examples
}
