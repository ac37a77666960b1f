import { z } from 'zod'
import { toIso } from '../../pipeline/core/clock.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { isUsable } from '../../pipeline/model/documents/index.ts'
import { type ProposedKind, proposedKinds } from '../../pipeline/model/proposed-kind.ts'
import { reportFaults } from '../../pipeline/parse/check-adagents.ts'
import { type CheckedProposal, checkFile } from '../../pipeline/parse/check-file.ts'
import { NOT_UTF8 } from '../../pipeline/parse/read-json.ts'
import { isBinary } from '../../pipeline/parse/syntax/syntax-fault.ts'
import { PastedDomain } from './fields.ts'
import { countHosted } from './hosted-part.ts'
import { listNamedAgents, type NamedAgent } from './named-agents.ts'
import { deriveProposedSellers, type ProposedSellers } from './proposed-sellers.ts'

const FAULTS_SHOWN_MAX = 100

/** A request to check a file: the one that a domain serves, or one that is not served yet. */
export const FileToCheck = z
  .object({
    domain: PastedDomain.optional().describe(
      'Domain whose file is checked; with `document`, the domain that will serve it',
    ),
    document: z
      .union([z.string(), z.record(z.string(), z.unknown())])
      .optional()
      .describe('The file as text or as JSON; JSON counts as indented by two spaces'),
    kind: z
      .enum(proposedKinds)
      .default('adagents.json')
      .describe('Which of the two files `document` is'),
  })
  .superRefine(({ domain, document }, ctx) => {
    if (domain !== undefined || document !== undefined) return
    ctx.addIssue({ code: 'custom', message: 'must have `domain` or `document`' })
  })

/** A file that is not served yet. */
export interface ProposedFile {
  document: string | Readonly<Record<string, unknown>>
  kind: ProposedKind
  domain?: string | undefined
}

/** The text of a file that is not served yet. */
export interface ProposedText extends ProposedFile {
  document: string
  /** False if it was decoded from bytes in another encoding; what was pasted is UTF-8. */
  isUtf8?: boolean
}

/** Result of a check, as the workshop shows it. */
export interface ExaminedFile extends Pick<CheckedProposal, 'valid' | 'errors' | 'warnings'> {
  kind: ProposedKind
  /** True if the registry could use the file: what has errors is ignored. */
  is_usable: boolean
  /** Agents that its entries name. */
  agents: NamedAgent[]
  /** Agents that can sell once the file is served; absent where it does not decide that. */
  sellers?: ProposedSellers
  /** Number of its properties that would be served if it were hosted; absent for a brand.json, which is served whole. */
  properties_hosted?: number
}

/** The warning of the crawler about bytes in another encoding, at the first line. */
const lossWarnings = reportFaults([NOT_UTF8]).warnings.map(fault => ({
  ...fault,
  line: 1,
  column: 1,
}))

/** Checks the text of a proposed file, and derives who can sell once its domain serves it. */
export function checkText(
  { document, kind, domain, isUtf8 = true }: ProposedText,
  now: number,
): ExaminedFile {
  const bytes = Buffer.from(document)
  const checked = checkFile(kind, bytes, { domain, now, maxFaults: FAULTS_SHOWN_MAX })
  const { valid, errors } = checked
  const warnings =
    isUtf8 || isBinary(document) ? checked.warnings : [...lossWarnings, ...checked.warnings]
  const sellers = domain && deriveProposedSellers(checked.document, domain as Domain, now)
  return {
    kind,
    is_usable: isReadable(checked),
    valid,
    errors,
    warnings,
    agents: listNamedAgents(checked.document, document),
    ...(sellers && { sellers }),
    ...(kind === 'adagents.json' && {
      properties_hosted: countHosted(checked.document, domain, now),
    }),
  }
}

/** Documents that only lead to another file: an error leaves nothing of them. */
const pointers: ReadonlySet<string> = new Set([
  'pointer',
  'authoritative_location',
  'house_redirect',
])

/** Tells whether the crawler would accept a document, in spite of its errors. */
function isReadable({ document, valid }: CheckedProposal): boolean {
  if (document === undefined) return false
  if (document.variant === 'inline') return isUsable(document)
  return valid || !pointers.has(document.variant)
}

/** Checks a proposed file and answers in the same form as for a served one; beside it the agents that it names. */
export function checkProposal({ document, kind, domain }: ProposedFile, now: number) {
  const text = typeof document === 'string' ? document : JSON.stringify(document, null, 2)
  const bytes = Buffer.from(text)
  const checked = checkFile(kind, bytes, { domain, now, maxFaults: FAULTS_SHOWN_MAX })
  const { valid, errors, warnings } = checked
  const validation = {
    valid,
    errors,
    warnings,
    domain: domain ?? 'proposed',
    url: 'proposed',
    response_bytes: bytes.length,
    discovery_method: 'direct' as const,
  }
  const data = { domain: validation.domain, found: true, validation }
  const agents = listNamedAgents(checked.document, text)
  return { answer: { success: true, data, valid, errors, warnings, timestamp: toIso(now) }, agents }
}
