import type { Domain } from '../../pipeline/core/domain.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import type { ExaminedFile, ProposedFile } from '../inputs/proposed-file.ts'
import { toTaskOrigin } from '../operation/answering.ts'
import { loadFileText } from './file-text.ts'
import type { ViewCall } from './view.ts'

type Asking = Pick<ViewCall, 'services' | 'caller'>

/** A file with all its issues, as the workshop shows them. */
export interface ExaminedText {
  text: string
  examined: ExaminedFile
}

/** Checks the text of a file on another thread, in turn with other callers. */
export function checkFileText(
  proposed: ProposedFile & { document: string },
  { services: { workers, clock }, caller }: Asking,
): Promise<ExaminedFile> {
  const bytes = Buffer.byteLength(proposed.document)
  const origin = toTaskOrigin({ principal: undefined, caller, bodyBytes: () => bytes })
  return workers.run('checkText', origin, proposed, clock.now())
}

/**
 * Loads the issues of the adagents.json of a domain as the workshop counts them. Undefined where its text is not
 * at hand, or the workers have too much to do.
 */
export async function loadExamined(
  domain: Domain,
  call: Asking,
): Promise<ExaminedText | undefined> {
  const kind = 'adagents.json'
  const found = await loadFileText(domain, kind, call)
  if (found === undefined) return undefined
  try {
    const examined = await checkFileText({ document: found.text, kind, domain }, call)
    return { text: found.text, examined }
  } catch (error) {
    if (error instanceof PublicError) return undefined
    throw error
  }
}
