import { expect } from 'vitest'
import { responseHeaderTexts } from '../../../api/operation/header-texts.ts'
import { listResponseHeaders } from '../../../api/operation/openapi-headers.ts'
import type { Operation } from '../../../api/operation/operation.ts'
import { operations } from '../../../api/routes/index.ts'

const described = Object.keys(responseHeaderTexts)

/** Creates a recorder that compares the headers of successes with those that their operations declare. */
export function createHeaderRecorder() {
  const headersById = new Map<string, Set<string>>()
  return {
    /** Records the headers of a success, and checks that its operation declares them. */
    record(operation: Operation, headers: object): void {
      const sent = described.filter(name => name.toLowerCase() in headers)
      const declared: readonly string[] = listResponseHeaders(operation)
      expect(sent.filter(name => !declared.includes(name))).toEqual([])
      headersById.set(operation.id, new Set([...(headersById.get(operation.id) ?? []), ...sent]))
    },
    /** Checks that every declared header was sent. */
    check(): void {
      const missing = operations.flatMap(operation =>
        listResponseHeaders(operation)
          .filter(name => !headersById.get(operation.id)?.has(name))
          .map(name => `${operation.id}: ${name}`),
      )
      expect(missing).toEqual([])
    },
  }
}
