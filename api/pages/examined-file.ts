import type { Domain } from '../../pipeline/core/domain.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import type { ExaminedFile, ProposedText } from '../inputs/proposed-file.ts'
import { toTaskOrigin } from '../operation/answering.ts'
import { buildUnknownFaults, listUnknownAgents } from '../responses/unknown-agents.ts'
import { loadFileText } from './file-text.ts'
import type { ViewCall } from './view.ts'

export type Asking = Pick<ViewCall, 'services' | 'caller'>

/** A checked file whose agents were looked up in the registry. */
export interface ComparedFile extends ExaminedFile {
  /** Addresses of its agents that the registry does not know. */
  unknown: ReadonlySet<string>
}

/** A file with all its issues, as the workshop shows them. */
export interface ExaminedText {
  text: string
  examined: ComparedFile
}

/** Checks the text of a file on another thread, in turn with other callers, and looks up the agents that it names. */
export async function checkFileText(
  proposed: ProposedText,
  { services: { workers, clock, reader }, caller }: Asking,
): Promise<ComparedFile> {
  const bytes = Buffer.byteLength(proposed.document)
  const origin = toTaskOrigin({ principal: undefined, caller, bodyBytes: () => bytes })
  const examined = await workers.run('checkText', origin, proposed, clock.now())
  const unknown = listUnknownAgents(examined.agents, reader)
  const warnings = [...examined.warnings, ...(await buildUnknownFaults(unknown, reader))]
  return { ...examined, warnings, unknown: new Set(unknown.map(({ url }) => url)) }
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
    const { text, isUtf8 } = found
    return { text, examined: await checkFileText({ document: text, kind, domain, isUtf8 }, call) }
  } catch (error) {
    if (error instanceof PublicError) return undefined
    throw error
  }
}
