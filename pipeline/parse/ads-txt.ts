import { parseDomain } from '../core/domain.ts'
import type { AdsTxtDocument } from '../model/documents/index.ts'
import { type Faults, quote } from './faults.ts'
import { decodeText } from './read-json.ts'

const FIELD = 'MANAGERDOMAIN'
/**
 * Matches a managerdomain line. Its leading blanks exclude line ends, or a file of nothing but
 * separators would take quadratic time.
 */
const LINE = /^[^\S\r\n\u2028\u2029]*managerdomain[^\S\r\n\u2028\u2029]*=(.*)$/gim
const LINE_END = /\r\n?|\n/g
const DECLINES = /\bnoagents\b/i
const HOST_CHARS = 256

/**
 * Parses the manager of a domain's inventory from its ads.txt: the last eligible line counts. A line
 * whose comment says `noagents` concerns people only, not agents. Undefined for a web page.
 */
export function parseAdsTxt(
  body: Uint8Array,
  faults: Faults,
  domain: string | undefined,
): AdsTxtDocument | undefined {
  const text = decodeText(body, faults)
  if (text.trimStart().startsWith('<')) {
    faults.error('root', 'not_text', 'is a web page: serve the text file itself at this URL')
    return undefined
  }
  let [line, counted] = [1, 0]
  const managers = [...text.matchAll(LINE)].flatMap(({ 1: rest = '', index }) => {
    line += text.slice(counted, index).match(LINE_END)?.length ?? 0
    counted = index
    const { value, isDeclined } = splitRecord(rest)
    const manager = parseHost(value)
    if (isDeclined) return []
    if (manager !== undefined) return [manager]
    faults.warn(FIELD, 'bad_domain', `in line ${line} is ${quote(value)}, not a bare domain name`)
    return []
  })
  if (managers.length > 1) {
    faults.warn(FIELD, 'repeated', `is given ${managers.length} times: only the last one counts`)
  }
  const manager = managers.at(-1)
  if (manager === undefined) return { variant: 'ads_txt' }
  if (manager === domain)
    faults.warn(FIELD, 'contradictory', 'names the domain itself: there is no other file')
  return { variant: 'ads_txt', manager_domain: manager }
}

function splitRecord(rest: string): { value: string; isDeclined: boolean } {
  const [value = '', ...comment] = rest.split('#')
  return { value: value.trim(), isDeclined: DECLINES.test(comment.join('#')) }
}

/** Parses a host name: no scheme, port, path or country. */
function parseHost(value: string): string | undefined {
  return value.length <= HOST_CHARS ? parseDomain(value.replace(/\.$/, '')) : undefined
}
