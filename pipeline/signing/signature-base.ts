import type { TargetUri } from './target-uri.ts'

/** An HTTP request as it is sent or was received. Names of headers are in any case. */
export interface SignedRequest {
  method: string
  url: string
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
  body: string | Uint8Array
}

/** Finds the value of a header; repeated headers are joined as HTTP does. Undefined if there is none. */
export function findHeader({ headers }: SignedRequest, name: string): string | undefined {
  const found = Object.keys(headers).find(key => key.toLowerCase() === name)
  const value = found === undefined ? undefined : headers[found]
  return typeof value === 'string' || value === undefined ? value : value.join(', ')
}

/**
 * Builds the text that is signed (RFC 9421 §2.5): a line for each component, and `params`, the value of
 * `Signature-Input`, as the last one. Undefined if a component is unknown or its header is absent.
 */
export function buildSignatureBase(
  request: SignedRequest,
  target: TargetUri,
  components: readonly string[],
  params: string,
): string | undefined {
  const lines: string[] = []
  for (const name of components) {
    const value = readComponent(request, target, name)
    if (value === undefined) return undefined
    lines.push(`"${name}": ${value}`)
  }
  return [...lines, `"@signature-params": ${params}`].join('\n')
}

function readComponent(
  request: SignedRequest,
  { uri, authority }: TargetUri,
  name: string,
): string | undefined {
  if (name === '@method') return request.method.toUpperCase()
  if (name === '@target-uri') return uri
  if (name === '@authority') return authority
  if (name.startsWith('@')) return undefined
  return findHeader(request, name)?.trim()
}
