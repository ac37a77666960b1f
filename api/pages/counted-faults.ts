import { LRUCache } from 'lru-cache'
import type { Domain } from '../../pipeline/core/domain.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import { isUrl, type Source } from '../../pipeline/model/observation.ts'
import type { ProposedKind } from '../../pipeline/model/proposed-kind.ts'
import { declareCache } from '../../pipeline/read/cache/caches.ts'
import type { FileRecord } from '../../pipeline/read/lookups/file-records.ts'
import { readVersionBytes } from '../../pipeline/read/queries/file-bytes.ts'
import { type Asking, checkFileText, type ExaminedText, loadExamined } from './examined-file.ts'
import { decodeFile } from './file-text.ts'
import type { CountedFaults } from './parts/faults.tsx'

/** Length of a file that is checked for a page which only counts its issues. */
const FILE_BYTES_MAX = 256 * 1024
const FILES_MAX = 20_000
/** Time for which a count holds, since entries of a file begin and end. */
const COUNT_MS = 24 * 3_600_000

const counts = declareCache(() => new LRUCache<string, CountedFaults>({ max: FILES_MAX }))

/** Counts the issues of a checked text, recommendations aside, and finds the line of its first error. */
export function countExamined({
  examined: { errors, warnings },
}: Pick<ExaminedText, 'examined'>): CountedFaults {
  const [first] = errors
  return {
    errors: errors.length,
    warnings: warnings.filter(({ severity }) => severity === 'warning').length,
    ...(first?.line && { line: first.line }),
  }
}

/**
 * Counts the issues of a crawled file as the workshop does. Each version is checked once a day at most, a long one
 * never: the record of that has its errors.
 */
export async function countFaults(
  source: Source,
  file: FileRecord | null | undefined,
  call: Asking,
): Promise<CountedFaults> {
  const { caches, clock } = call.services
  const errors = file?.faults.filter(({ severity }) => severity === 'error').length ?? 0
  const stored = (file?.fault_count ?? 0) - errors
  // That its record has no warning does not mean that a check finds none.
  const known = { errors, warnings: stored > 0 ? stored : undefined }
  if (!file || (file.bytes ?? 0) > FILE_BYTES_MAX) return known
  const day = Math.floor(clock.now() / COUNT_MS)
  const key = `${source.kind} ${source.location} ${file.sha256} ${day}`
  const cached = counts({ caches }).get(key)
  if (cached !== undefined) return cached
  const found = await checkVersion(source, file, call)
  if (found === undefined) return known
  const counted = countExamined(found)
  // An agent that nobody knows yet becomes known when it is crawled.
  if (found.examined.unknown.size === 0) counts({ caches }).set(key, counted)
  return counted
}

interface ShownFile {
  source: Source
  file: FileRecord | null | undefined
  /** True if the latest version may be shown instead, as its domain serves it. */
  isOwn?: boolean
  isValid?: boolean
}

/** Number of the issues of a file, and where it has some, its text with them. */
export interface FileIssues {
  counted: CountedFaults
  found: ExaminedText | undefined
}

/** Loads the issues of a file. */
export async function loadIssues(
  { source, file, isOwn = false, isValid = true }: ShownFile,
  call: Asking,
): Promise<FileIssues> {
  const counted = await countFaults(source, file, call)
  const hasIssues = !isValid || counted.errors + (counted.warnings ?? 0) > 0
  if (!hasIssues) return { found: undefined, counted }
  const found = isOwn
    ? await loadExamined(source.location as Domain, call)
    : file && (await checkVersion(source, file, call))
  return { found: found ?? undefined, counted: found ? countExamined(found) : counted }
}

/** Checks a version of a file as the workshop does; undefined where its bytes are not at hand, or the workers have too much to do. */
async function checkVersion(
  { kind, location }: Source,
  { sha256 }: FileRecord,
  call: Asking,
): Promise<ExaminedText | undefined> {
  const bytes = await readVersionBytes(call.services.reader, sha256, FILE_BYTES_MAX)
  if (bytes === undefined) return undefined
  const { text, isUtf8 } = decodeFile(bytes)
  const domain = isUrl(location) ? undefined : (location as Domain)
  const proposed = { document: text, kind: kind as ProposedKind, domain, isUtf8 }
  try {
    return { text, examined: await checkFileText(proposed, call) }
  } catch (error) {
    if (error instanceof PublicError) return undefined
    throw error
  }
}
